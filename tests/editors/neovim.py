"""A real Neovim for tests: headless, with the plugin and the server over a scripted engine, driven by keys."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "editors" / "neovim"
_INIT = """
vim.opt.runtimepath:prepend({plugin})
vim.opt.swapfile = false
vim.notify = function(message) table.insert(told, message) end
told = {{}}
function ghost()
  local space = vim.api.nvim_create_namespace("nvim.lsp.inline_completion")
  local lines = {{}}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, {{ details = true }})) do
    table.insert(lines, mark[4].virt_text and mark[4].virt_text[1][1] or "")
    for _, line in ipairs(mark[4].virt_lines or {{}}) do table.insert(lines, line[1][1]) end
  end
  return table.concat(lines, "\\n")
end
function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\\n") end
local counted = {{ speculate = false }} -- the script has one answer a request
vim.lsp.config("sfumato", {{ cmd = vim.json.decode({command}), cmd_cwd = {root}, init_options = counted }})
vim.lsp.enable("sfumato")
"""


def neovim_or_reason() -> tuple[str, str]:
    """The path of a Neovim that is new enough, or "" and why there is none."""
    path = os.environ.get("SFUMATO_NVIM") or shutil.which("nvim")
    if path is None:
        return "", "no nvim on the PATH; SFUMATO_NVIM may name one"
    has = "if has('nvim-0.12') | qall | else | cquit | endif"
    found = subprocess.run([path, "--clean", "--headless", "-c", has], capture_output=True, timeout=20, check=False)
    return (path, "") if found.returncode == 0 else ("", f"{path} is older than 0.12 or does not start")


class Neovim:
    """One Neovim with one file open."""

    def __init__(self, executable: str, folder: Path, script: Mapping[str, Any], *, init: str = "") -> None:
        self._executable = executable
        self._folder = folder
        self._socket = folder / "socket"
        scripted = folder / "script.json"
        scripted.write_text(json.dumps(script), encoding="utf-8")
        server = [sys.executable, "-m", "tests.clients.scripted_server", "--script", str(scripted)]
        self._init = folder / "init.lua"
        filled = {"plugin": str(PLUGIN), "root": str(ROOT), "command": json.dumps(server)}
        text = _INIT.format(**{key: f"[==[{value}]==]" for key, value in filled.items()})
        self._init.write_text(init + text, encoding="utf-8")

    def open(self, path: Path) -> Self:
        """Start with `path` and wait until its server is ready."""
        folders = {f"XDG_{name}_HOME": str(self._folder / name) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
        options = ["--headless", "-n", "-i", "NONE", "-u", str(self._init), "--listen", str(self._socket)]
        self._process = subprocess.Popen(
            [self._executable, *options, str(path)],
            env={**os.environ, **folders},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.until("vim.fn.exists(':SfumatoStatus') == 2 and require('sfumato').status() or ''", "ready")
        return self

    def _remote(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [self._executable, "--headless", "--server", str(self._socket), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)

    def keys(self, *keys: str) -> None:
        """Type, `<Esc>` and the like included; each argument arrives by itself."""
        for some in keys:
            self._remote("--remote-send", some)

    def lua(self, expression: str) -> Any:
        """The value of a Lua expression."""
        quoted = f"vim.json.encode({expression})".replace("'", "''")
        answer = self._remote("--remote-expr", f"luaeval('{quoted}')")
        return json.loads(answer.stdout or "null")

    def until(self, expression: str, wanted: object, timeout_s: float = 20) -> None:
        """Wait until a Lua expression has a value."""
        end, value = time.monotonic() + timeout_s, None
        while time.monotonic() < end:
            if (value := self.lua(expression)) == wanted:
                return
            time.sleep(0.05)
        raise AssertionError(f"{expression} is {value!r}, not {wanted!r}; told: {self.told}")

    @property
    def text(self) -> str:
        """The buffer."""
        return str(self.lua("text()"))

    @property
    def told(self) -> Sequence[str]:
        """What the user was told."""
        told: Sequence[str] = self.lua("told") or ()
        return told

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._remote("--remote-send", "<C-\\><C-n>:qall!<CR>")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
