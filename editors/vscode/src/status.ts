// The item in the status bar: what the engine is doing, in one word; the sentence is in its tooltip.
import * as vscode from "vscode";

/** `sfumato/status`, as in editors/PROTOCOL.md. */
export interface Status {
  state: "starting" | "downloading" | "loading" | "ready" | "working" | "failed";
  message: string;
  done: number;
  total: number;
}

const ICONS: Record<Status["state"], string> = {
  starting: "$(loading~spin)",
  downloading: "$(cloud-download)",
  loading: "$(loading~spin)",
  ready: "$(sparkle)",
  working: "$(sync~spin)",
  failed: "$(error)",
};

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("sfumato", vscode.StatusBarAlignment.Right);

  constructor(command: string) {
    this.item.name = "Sfumato";
    this.item.command = command;
    this.item.show();
  }

  show({ state, message, done, total }: Status): void {
    const percent = total > 0 ? ` ${Math.floor((100 * done) / total)} %` : "";
    this.item.text = `${ICONS[state]} Sfumato${percent}`;
    this.item.tooltip = message ? `${state}: ${message}` : state;
    this.item.backgroundColor = state === "failed" ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
  }

  dispose(): void {
    this.item.dispose();
  }
}
