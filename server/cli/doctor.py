"""`sfumato doctor`: what is wrong with the machine, the installation, the model or the editor, and what to do."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from engine import hub

from .arguments import Commands, add_model_option

if TYPE_CHECKING:
    from .checks import Finding

_SAMPLES = {
    "c": "int x = 1;\n",
    "cpp": "int x = 1;\n",
    "css": "a { color: red; }\n",
    "go": "package a\n",
    "html": "<p>text</p>\n",
    "java": "class A {}\n",
    "javascript": "let x = 1;\n",
    "json": "{}\n",
    "lua": "local x = 1\n",
    "markdown": "# Title\n",
    "python": "x = 1\n",
    "rust": "fn a() {}\n",
    "shellscript": "echo a\n",
    "toml": "a = 1\n",
    "typescript": "let x: number = 1;\n",
    "typescriptreact": "const x = <p>text</p>;\n",
    "yaml": "a: 1\n",
}
_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "doctor",
        help="say what is wrong here, and what to do",
        description="Look at the machine, the installation, the model and the editors. Exit code 1 if something fails.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_model_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Look at everything, say everything."""
    findings = examine(args.model, hub.open_hub())
    failed = any(finding.verdict == "fail" for finding in findings)
    if args.json:
        from .report import print_json

        print_json({"ok": not failed, "checks": [asdict(finding) for finding in findings]})
    else:
        _print(findings)
    return int(failed)


def examine(model: str, store: hub.Hub) -> list[Finding]:
    """All findings, in the order in which things are needed."""
    from ..syntax import error_count
    from . import checks

    return [
        checks.check_python(),
        checks.check_processor(),
        checks.check_memory(),
        checks.check_torch(),
        checks.check_threads(),
        checks.check_grammars(_SAMPLES, error_count),
        checks.check_cache(store.home),
        checks.check_model(model, store),
        checks.check_editors(),
    ]


def _print(findings: list[Finding]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    for finding in findings:
        line = Text()
        line.append(f"{finding.verdict.value:5}", _STYLES[finding.verdict])
        line.append(f"{finding.name:10} ", "bold")
        line.append(finding.seen)
        console.print(line)
        if finding.advice:
            console.print(Text(f"{'':16}-> {finding.advice}", "dim"))
