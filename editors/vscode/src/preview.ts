// A rewrite before it is applied: a diff of the document against what it would become, and three answers.
//
// The question is asked twice: a notification is seen first but hides itself after some seconds, which is less than a
// diff takes to read; the buttons in the title of the diff stay as long as it does.
import * as vscode from "vscode";

const SCHEME = "sfumato-preview";
const APPLY = "Apply";
const AGAIN = "Run Again";
const DISCARD = "Discard";

type Answer = typeof APPLY | typeof AGAIN | typeof DISCARD;

export class Previews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private readonly texts = new Map<string, string>();
  private readonly asked = new Map<string, (answer: Answer) => void>();
  private count = 0;

  dispose(): void {
    this.registration.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** Answers for the preview `shown`, or for the one in front. */
  answer(answer: Answer, shown?: vscode.Uri): void {
    const front = vscode.window.tabGroups.activeTabGroup.activeTab;
    const uri = shown?.scheme === SCHEME ? shown : front && proposedIn(front);
    this.asked.get(uri?.toString() ?? "")?.(answer);
  }

  /** Shows what `edit` would make of `document`, and applies it if that is the answer; says whether to run again. */
  async show(document: vscode.TextDocument, edit: vscode.WorkspaceEdit): Promise<"again" | "done"> {
    const { version } = document;
    const proposed = vscode.Uri.from({ scheme: SCHEME, path: document.uri.path, query: String(this.count++) });
    this.texts.set(proposed.toString(), edited(document, edit.get(document.uri)));
    const name = document.uri.path.split("/").at(-1);
    await vscode.commands.executeCommand("vscode.diff", document.uri, proposed, `${name}: proposed rewrite`);
    const answer = await this.ask(proposed);
    await close(proposed);
    this.texts.delete(proposed.toString());
    if (answer === APPLY && (document.version !== version || !(await vscode.workspace.applyEdit(edit)))) {
      void vscode.window.showWarningMessage("Sfumato: the text was changed meanwhile; nothing was applied");
    }
    return answer === AGAIN ? "again" : "done";
  }

  /** The first answer: from the notification, from the title of the diff, or by closing either. */
  private async ask(proposed: vscode.Uri): Promise<Answer> {
    const key = proposed.toString();
    const answered = new Promise<Answer>((resolve) => this.asked.set(key, resolve));
    const closing = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      if (closed.some((tab) => proposedIn(tab)?.toString() === key)) {
        this.asked.get(key)?.(DISCARD);
      }
    });
    void vscode.window.showInformationMessage("Sfumato: apply this rewrite?", APPLY, AGAIN, DISCARD).then((answer) => {
      const open = this.asked.get(key);
      if (open) {
        open(answer ?? DISCARD);
      } else if (answer && answer !== DISCARD) {
        void vscode.window.showInformationMessage("Sfumato: that preview was answered or closed before");
      }
    });
    try {
      return await answered;
    } finally {
      closing.dispose();
      this.asked.delete(key);
    }
  }
}

function edited(document: vscode.TextDocument, edits: vscode.TextEdit[]): string {
  let text = document.getText();
  for (const { range, newText } of [...edits].sort((one, other) => other.range.start.compareTo(one.range.start))) {
    text = text.slice(0, document.offsetAt(range.start)) + newText + text.slice(document.offsetAt(range.end));
  }
  return text;
}

function proposedIn({ input }: vscode.Tab): vscode.Uri | undefined {
  return input instanceof vscode.TabInputTextDiff && input.modified.scheme === SCHEME ? input.modified : undefined;
}

async function close(proposed: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  await vscode.window.tabGroups.close(tabs.filter((tab) => proposedIn(tab)?.toString() === proposed.toString()));
}
