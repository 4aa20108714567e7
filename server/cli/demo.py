"""`sfumato demo`: the server at work, seen from an editor's side of the pipe and drawn on the terminal.

Knows what to show and how; `demo_session` knows the protocol, `demo_places` the places.
"""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .arguments import Commands, add_model_option

if TYPE_CHECKING:  # at run time only once the command runs: `sfumato serve` must start fast
    from rich.console import Console
    from rich.text import Text

    from .demo_session import DemoSession, Shown, Status
    from .progress_bar import ProgressBar

_STAGES = {"downloading": "download", "loading": "load"}


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "demo",
        help="watch it complete, fill and rewrite, through the server",
        description="Start the server, talk LSP to it as an editor would, and show what comes back and what it cost. "
        "Exit code 1 when a place got nothing.",
    )
    parser.add_argument(
        "--server-command", metavar="COMMAND", help="the server to start (default: `sfumato serve` of this Python)"
    )
    parser.add_argument("--picture", metavar="FILE.svg", help="draw what the terminal showed, too")
    add_model_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show every place; say at the end which got nothing."""
    from rich.console import Console

    from .editor_client import RequestFailed, ServerGone

    own = [sys.executable, "-m", "server", "serve", "--stdio", "--model", args.model]
    command = shlex.split(args.server_command) if args.server_command else own
    console = Console(highlight=False, soft_wrap=True, record=bool(args.picture), width=112 if args.picture else None)
    try:
        code = asyncio.run(_show(console, command))
        if args.picture:
            console.save_svg(args.picture, title="sfumato demo")
        return code
    except (ServerGone, RequestFailed, OSError) as error:
        print(f"sfumato demo: {error}", file=sys.stderr)
        return 1


async def _show(console: Console, command: Sequence[str]) -> int:
    from .demo_places import CURSORS, HOLES, REWRITE
    from .demo_session import DemoSession
    from .progress_bar import ProgressBar
    from .render import coloured, diff, in_place

    began = time.monotonic()
    bar = ProgressBar("the model")

    def on_status(status: Status) -> None:
        if status.state in _STAGES:
            bar.show(_STAGES[status.state], status.done, status.total)

    async with DemoSession(command, on_status) as session:
        await _start(console, session, bar)
        nothing: list[str] = []
        for cursor in CURSORS:
            shown = await session.complete(cursor)
            _draw(console, cursor.title, cursor.file, shown, in_place(shown.snapshot, shown.suggestions))
            nothing += [] if shown.suggestions else [cursor.title]
        shown = await session.change(HOLES)
        _draw(console, HOLES.title, HOLES.file, shown, in_place(shown.snapshot, shown.suggestions))
        nothing += [] if shown.suggestions else [HOLES.title]
        shown = await session.change(REWRITE)
        patch = coloured(diff(REWRITE.file, shown.snapshot.text, shown.after))
        _draw(console, f"{REWRITE.title}: {REWRITE.instruction}", REWRITE.file, shown, patch)
        nothing += [] if shown.suggestions else [REWRITE.title]
    console.print(f"\nThat took {time.monotonic() - began:.1f} s.")
    for title in nothing:
        console.print(f"Nothing came for: {title}", style="red")
    return int(bool(nothing))


async def _start(console: Console, session: DemoSession, bar: ProgressBar) -> None:
    began = time.monotonic()
    with bar:
        answered_ms = await session.initialize()
        await session.ready()
    console.print(f"The server answered in {answered_ms:.0f} ms and was ready in {time.monotonic() - began:.1f} s.")


def _draw(console: Console, title: str, file: str, shown: Shown, picture: Text) -> None:
    from rich.text import Text

    console.print()
    console.print(Text.assemble((title, "bold"), (f"  {file}", "dim")))
    cost = shown.cost
    if shown.suggestions:
        console.print(picture, end="")
        rate = f"{cost.tokens} tokens in {cost.forwards} forwards, {cost.tokens_per_forward:.1f} tokens per forward"
        console.print(f"  {shown.waited_ms:.0f} ms · {rate} · {cost.mode or 'rewrite'}", style="cyan")
    else:
        console.print(f"  nothing: {cost.refused or 'no reason given'} · {shown.waited_ms:.0f} ms", style="red")
