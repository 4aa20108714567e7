// A rewrite before it is applied: a diff of the document against what it would become, and three answers.
import * as vscode from "vscode";

const SCHEME = "sfumato-preview";
const APPLY = "Apply";
const AGAIN = "Run Again";

export class Previews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private readonly texts = new Map<string, string>();
  private count = 0;

  dispose(): void {
    this.registration.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** Shows what `edit` would make of `document`, and applies it if that is the answer; says whether to run again. */
  async show(document: vscode.TextDocument, edit: vscode.WorkspaceEdit): Promise<"again" | "done"> {
    const { version } = document;
    const proposed = vscode.Uri.from({ scheme: SCHEME, path: document.uri.path, query: String(this.count++) });
    this.texts.set(proposed.toString(), edited(document, edit.get(document.uri)));
    const name = document.uri.path.split("/").at(-1);
    await vscode.commands.executeCommand("vscode.diff", document.uri, proposed, `${name}: proposed rewrite`);
    const answer = await vscode.window.showInformationMessage("Sfumato: apply this rewrite?", APPLY, AGAIN, "Discard");
    await close(proposed);
    this.texts.delete(proposed.toString());
    if (answer === APPLY && (document.version !== version || !(await vscode.workspace.applyEdit(edit)))) {
      void vscode.window.showWarningMessage("Sfumato: the text was changed meanwhile; nothing was applied");
    }
    return answer === AGAIN ? "again" : "done";
  }
}

function edited(document: vscode.TextDocument, edits: vscode.TextEdit[]): string {
  let text = document.getText();
  for (const { range, newText } of [...edits].sort((one, other) => other.range.start.compareTo(one.range.start))) {
    text = text.slice(0, document.offsetAt(range.start)) + newText + text.slice(document.offsetAt(range.end));
  }
  return text;
}

async function close(proposed: vscode.Uri): Promise<void> {
  const shown = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === proposed.toString());
  await vscode.window.tabGroups.close(shown);
}
