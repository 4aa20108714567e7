// VS Code's side of Sfumato: starts the server, shows its status, and has its commands. Ghost text, code actions,
// progress and edits are the language client's; what is said between the two is in editors/PROTOCOL.md.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import {
  DidChangeConfigurationNotification,
  ExecuteCommandRequest,
  LanguageClient,
  State,
  WorkDoneProgress,
  type WorkspaceEdit,
} from "vscode-languageclient/node";
import { Previews } from "./preview";
import { StatusItem, type Status } from "./status";

type Outcome = Record<string, unknown> | null;

interface Facts {
  range?: vscode.Range;
  instruction?: string;
  preview?: boolean;
  attempt?: number;
  version?: number; // what the range is of, if not the present one
}

let client: LanguageClient | undefined;
let starting: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const item = new StatusItem("sfumato.showDebugInformation");
  const previews = new Previews();
  const restart = (): Promise<void> => (starting = starting.then(stop).then(() => start(item)));
  context.subscriptions.push(
    item,
    previews,
    vscode.commands.registerCommand("sfumato.rewriteSelection", () => rewriteSelection()),
    vscode.commands.registerCommand("sfumato.previewRewrite", () => rewriteSelection(previews)),
    vscode.commands.registerCommand("sfumato.applyPreview", (shown?: vscode.Uri) => previews.answer("Apply", shown)),
    vscode.commands.registerCommand("sfumato.runPreviewAgain", (shown?: vscode.Uri) => previews.answer("Run Again", shown)),
    vscode.commands.registerCommand("sfumato.discardPreview", (shown?: vscode.Uri) => previews.answer("Discard", shown)),
    vscode.commands.registerCommand("sfumato.runAgain", runAgain),
    vscode.commands.registerCommand("sfumato.fill", fill),
    vscode.commands.registerCommand("sfumato.showDebugInformation", showDebugInformation),
    vscode.commands.registerCommand("sfumato.restart", restart),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("sfumato.command")) {
        await restart();
      } else if (change.affectsConfiguration("sfumato")) {
        await client?.sendNotification(DidChangeConfigurationNotification.type, { settings: { sfumato: settings() } });
      }
    }),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await starting;
  await stop();
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

/** Never fails: the language client has told why, and the status bar says what to do. */
async function start(item: StatusItem): Promise<void> {
  const [command = "sfumato", ...args] = vscode.workspace.getConfiguration("sfumato").get<string[]>("command", []);
  const started = new LanguageClient(
    "sfumato",
    "Sfumato",
    { command, args },
    { documentSelector: [{ scheme: "file" }, { scheme: "untitled" }], initializationOptions: settings() },
  );
  started.onNotification("sfumato/status", (status: Status) => item.show(status));
  started.onDidChangeState(({ newState }) => {
    if (newState === State.Starting) {
      item.show({ state: "starting", message: "", done: 0, total: 0 });
    } else if (newState === State.Stopped) {
      item.show({ state: "failed", message: "the server has stopped", done: 0, total: 0 });
    }
  });
  try {
    await started.start();
    client = started;
  } catch {
    const message = `"${[command, ...args].join(" ")}" does not start; see the setting sfumato.command`;
    item.show({ state: "failed", message, done: 0, total: 0 });
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

async function rewriteSelection(previews?: Previews): Promise<void> {
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
  const facts = { range: editor.selection.isEmpty ? lines : editor.selection, instruction };
  if (previews) {
    await preview(previews, editor.document, facts);
  } else {
    await change("sfumato.rewrite", editor.document, facts);
  }
}

/** Shows attempt after attempt beside the text until one is taken or none is wanted. */
async function preview(previews: Previews, document: vscode.TextDocument, facts: Facts): Promise<void> {
  const { version } = document;
  for (let attempt = 0, answer = "again"; answer === "again"; attempt++) {
    const outcome = await change("sfumato.rewrite", document, { ...facts, preview: true, attempt, version });
    if (!outcome?.edit || !client) {
      const message = outcome?.message;
      return typeof message === "string" ? void vscode.window.showInformationMessage(`Sfumato: ${message}`) : undefined;
    }
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(outcome.edit as WorkspaceEdit);
    answer = await previews.show(document, edit);
  }
}

async function runAgain(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document) {
    await change("sfumato.rewriteAgain", document, {});
  }
}

async function fill(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor) {
    await change("sfumato.fillHoles", editor.document, editor.selection.isEmpty ? {} : { range: editor.selection });
  }
}

/** The server applies the edit by itself, or says why there is none; for a preview it leaves both to us. */
async function change(command: string, document: vscode.TextDocument, facts: Facts): Promise<Outcome> {
  const { uri } = document;
  const range = facts.range && { start: facts.range.start, end: facts.range.end };
  const code = client?.code2ProtocolConverter;
  const args = [{ ...facts, range, uri: code?.asUri(uri), version: facts.version ?? document.version }];
  const where = { location: vscode.ProgressLocation.Notification, title: "Sfumato", cancellable: true };
  return vscode.window.withProgress(where, (progress, cancelled) => run(command, args, progress, cancelled));
}

async function showDebugInformation(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const uri = document && client?.code2ProtocolConverter.asUri(document.uri);
  const told = await run("sfumato.debugInformation", uri ? [{ uri }] : []);
  if (told) {
    const content = JSON.stringify(told, undefined, 2);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "json", content }));
  }
}

async function run(
  command: string,
  args: unknown[],
  progress?: vscode.Progress<{ message: string }>,
  cancelled?: vscode.CancellationToken,
): Promise<Outcome> {
  if (!client?.isRunning()) {
    void offerSettings();
    return null;
  }
  const workDoneToken = progress && randomUUID();
  const heard = client.onProgress(WorkDoneProgress.type, workDoneToken ?? "", (value) => {
    if (value.kind === "report" && value.message) {
      progress?.report({ message: lastLine(value.message) });
    }
  });
  try {
    const params = { command, arguments: args, workDoneToken };
    return (await client.sendRequest(ExecuteCommandRequest.type, params, cancelled)) as Outcome;
  } catch (error) {
    if (!(error instanceof vscode.CancellationError) && !cancelled?.isCancellationRequested) {
      void vscode.window.showErrorMessage(`Sfumato: ${text(error)}`);
    }
    return null;
  } finally {
    heard.dispose();
  }
}

async function offerSettings(): Promise<void> {
  if (await vscode.window.showWarningMessage("Sfumato: the server does not run", "Open Settings")) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "sfumato.command");
  }
}

function lastLine(draft: string): string {
  return (draft.trim().split("\n").at(-1) ?? "").trim().slice(0, 80);
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
