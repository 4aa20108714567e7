"""`sfumato bench denoise`: how fast a model writes on this machine, over a few fixed places of the demo's files.

The road is that of a completion while typing; what is measured is the engine's own account of it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine import Engine, EngineConfig, PieceState, Progress, Timings, Usage

from ..settings import Settings
from .arguments import Commands, add_model_option, locate

if TYPE_CHECKING:  # at run time only once the command runs: `sfumato serve` must start fast
    from .demo_places import Cursor

_EXAMPLES = """\
  sfumato bench denoise                       the default model
  sfumato bench denoise --model causal        the same base, one token a forward
  sfumato bench denoise --json                for programs

Columns: prompt = tokens of the prompt (none of them kept from the place before); canvas = positions proposed or open
beside what was committed, at most; tokens = put out; forwards = model calls after the prompt, whose reading is encode.
Figures of one idle machine can be compared; a load average near its number of cores means that it was not idle.
"""
_COLUMNS = ("prompt", "canvas", "tokens", "forwards", "tokens per forward", "ms per forward", "encode ms")
_SETTINGS = Settings(max_tokens=64, completion_deadline_ms=120_000)  # a slow machine is measured, not cut off


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "bench",
        help="measure a model on this machine",
        description="Measure a model on this machine.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    says = "tokens per forward, milliseconds per forward, canvas and prompt length at a few places"
    denoise = actions.add_parser("denoise", help=says, description=f"Complete at a few fixed places: {says}.")
    denoise.add_argument("--json", action="store_true", help="print one JSON object")
    add_model_option(denoise)
    denoise.set_defaults(run=run)


@dataclass(frozen=True, slots=True)
class Measured:
    """One place, or the sum of several: then `canvas` is the longest."""

    title: str
    canvas: int
    usage: Usage

    def fields(self) -> dict[str, object]:
        """As JSON, in the order of the columns."""
        usage = self.usage
        return {
            "place": self.title,
            "prompt_tokens": usage.prompt_tokens,
            "canvas": self.canvas,
            "tokens": usage.tokens,
            "forwards": usage.forwards,
            "tokens_per_forward": round(usage.tokens_per_forward, 3),
            "ms_per_forward": round(usage.ms.denoise / usage.forwards, 2) if usage.forwards else 0.0,
            "encode_ms": round(usage.ms.encode, 1),
        }


def run(args: argparse.Namespace) -> int:
    """Load the model, complete everywhere, say what it cost."""
    from .demo_places import CURSORS
    from .open_model import open_model
    from .progress_bar import ProgressBar

    before = _load_average()
    with ProgressBar(args.model) as bar:
        opened = open_model(args.open_engine, EngineConfig(model=args.model), bar)
        measure(opened.engine, CURSORS[-1])  # what is made once is made now, and no prompt is kept for the first place
        places = [measure(opened.engine, cursor) for cursor in CURSORS]
    load = {"before": before, "after": _load_average(), "cores": os.cpu_count()}
    if args.json:
        from .report import print_json

        measured = {"places": [place.fields() for place in places], "all": together(places).fields()}
        print_json({**opened.engine.info, **measured, "load_average": load})
    else:
        _print(opened.engine, places, load)
    return 0


def measure(engine: Engine, cursor: Cursor) -> Measured:
    """Complete at a place as while typing."""
    from ..suggest import complete
    from .demo_session import FILES
    from .source_file import read_source

    snapshot = read_source(FILES / cursor.file).snapshot()
    canvas = 0

    def watch(progress: Progress) -> None:
        nonlocal canvas
        pieces = [piece for hole in progress.holes for piece in hole if piece.state is not PieceState.COMMITTED]
        canvas = max(canvas, sum(piece.positions for piece in pieces))

    offset = locate(snapshot.lines, (cursor.line, cursor.character))
    answer = complete(engine, snapshot, offset, _SETTINGS, invoked=False, progress=watch)
    return Measured(f"{cursor.file}:{cursor.line}", canvas, answer.result.usage if answer.result else Usage())


def together(places: Sequence[Measured]) -> Measured:
    """All places as one."""
    of = [place.usage for place in places]
    ms = Timings(encode=sum(one.ms.encode for one in of), denoise=sum(one.ms.denoise for one in of))
    tokens, forwards = sum(one.tokens for one in of), sum(one.forwards for one in of)
    total = Usage(sum(one.prompt_tokens for one in of), forwards=forwards, tokens=tokens, ms=ms)
    return Measured("all", max(place.canvas for place in places), total)


def _load_average() -> list[float] | None:
    """Over 1, 5 and 15 minutes; not every system tells."""
    return [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None


def _print(engine: Engine, places: Sequence[Measured], load: Mapping[str, object]) -> None:
    from rich.console import Console
    from rich.table import Table

    known = (name for name in ("model", "device", "precision", "threads") if name in engine.info)
    about = " · ".join(f"{name} {engine.info[name]}" for name in known)
    table = Table(box=None, pad_edge=False)
    table.add_column("place", no_wrap=True)
    for name in _COLUMNS:
        table.add_column(name, justify="right", vertical="bottom")
    for place in (*places, together(places)):
        title, *numbers = map(str, place.fields().values())
        table.add_row(title, *numbers, style="bold" if title == "all" else "")
    console = Console(highlight=False, soft_wrap=True)
    console.print(about, style="bold")
    console.print(table, soft_wrap=False)
    console.print(f"load average {load['before']} before, {load['after']} after, on {load['cores']} cores", style="dim")
