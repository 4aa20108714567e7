// VS Code's side of Sfumato: starts the server, shows its status, and has its commands. Ghost text, code actions,
// progress and edits are the language client's; what is said between the two is in editors/PROTOCOL.md.
import * as vscode from "vscode";
import {
  DidChangeConfigurationNotification,
  ExecuteCommandRequest,
  LanguageClient,
  State,
} from "vscode-languageclient/node";
import { StatusItem, type Status } from "./status";

type Outcome = Record<string, unknown> | null;

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const item = new StatusItem("sfumato.showDebugInformation");
  context.subscriptions.push(
    item,
    vscode.commands.registerCommand("sfumato.rewriteSelection", rewriteSelection),
    vscode.commands.registerCommand("sfumato.fill", fill),
    vscode.commands.registerCommand("sfumato.showDebugInformation", showDebugInformation),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("sfumato.command")) {
        await restart(item);
      } else if (change.affectsConfiguration("sfumato")) {
        await client?.sendNotification(DidChangeConfigurationNotification.type, { settings: { sfumato: settings() } });
      }
    }),
  );
  await restart(item);
}

export async function deactivate(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

async function restart(item: StatusItem): Promise<void> {
  await deactivate();
  const [command = "sfumato", ...args] = vscode.workspace.getConfiguration("sfumato").get<string[]>("command", []);
  const starting = new LanguageClient(
    "sfumato",
    "Sfumato",
    { command, args },
    { documentSelector: [{ scheme: "file" }, { scheme: "untitled" }], initializationOptions: settings() },
  );
  starting.onNotification("sfumato/status", (status: Status) => item.show(status));
  starting.onDidChangeState(({ newState }) => {
    if (newState === State.Starting) {
      item.show({ state: "starting", message: "", done: 0, total: 0 });
    } else if (newState === State.Stopped) {
      item.show({ state: "failed", message: "the server has stopped", done: 0, total: 0 });
    }
  });
  try {
    await starting.start();
    client = starting;
  } catch (error) {
    const message = `"${[command, ...args].join(" ")}" does not start; see the setting sfumato.command (${text(error)})`;
    item.show({ state: "failed", message, done: 0, total: 0 });
    await vscode.window.showErrorMessage(`Sfumato: ${message}`);
  }
}

/** What somebody has set, without what is only for this extension; the server knows its own defaults. */
function settings(): Record<string, unknown> {
  const all = vscode.workspace.getConfiguration("sfumato");
  const keys = Object.keys(all).filter((key) => key !== "command" && typeof all[key] !== "function");
  return Object.fromEntries(
    keys.flatMap((key) => {
      const { defaultValue } = all.inspect(key) ?? {};
      return JSON.stringify(all.get(key)) === JSON.stringify(defaultValue) ? [] : [[key, all.get(key)]];
    }),
  );
}

async function rewriteSelection(): Promise<void> {
  if (!vscode.window.activeTextEditor) {
    return;
  }
  const instruction = await vscode.window.showInputBox({
    title: "Sfumato: Rewrite Selection",
    prompt: "What is to be done with the selected code?",
    placeHolder: "use a dict",
  });
  const editor = vscode.window.activeTextEditor;
  if (!editor || !instruction) {
    return;
  }
  const lines = editor.document.lineAt(editor.selection.active.line).rangeIncludingLineBreak;
  await change("sfumato.rewrite", editor, { range: editor.selection.isEmpty ? lines : editor.selection, instruction });
}

async function fill(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor) {
    await change("sfumato.fillHoles", editor, editor.selection.isEmpty ? {} : { range: editor.selection });
  }
}

/** The server applies the edit by itself, or says why there is none. */
async function change(
  command: string,
  editor: vscode.TextEditor,
  facts: { range?: vscode.Range; instruction?: string },
): Promise<void> {
  const { uri, version } = editor.document;
  const range = facts.range && { start: facts.range.start, end: facts.range.end };
  const code = client?.code2ProtocolConverter;
  await run(command, [{ ...facts, range, uri: code?.asUri(uri), version }]);
}

async function showDebugInformation(): Promise<void> {
  const told = await run("sfumato.debugInformation", []);
  if (told) {
    const content = JSON.stringify(told, undefined, 2);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "json", content }));
  }
}

async function run(command: string, args: unknown[]): Promise<Outcome> {
  if (!client?.isRunning()) {
    await vscode.window.showWarningMessage("Sfumato: the server does not run");
    return null;
  }
  try {
    return (await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args })) as Outcome;
  } catch (error) {
    if (!(error instanceof vscode.CancellationError)) {
      await vscode.window.showErrorMessage(`Sfumato: ${text(error)}`);
    }
    return null;
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
