"""argv -> command. Knows the commands, the exit codes and how errors are said; a command knows the rest.

Exit codes: 0 done, 1 failed, 2 asked wrongly, 130 interrupted. An error is one line, never a traceback.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import NoReturn

import engine
from engine import DEFAULT_MODEL, ConfigError, Engine, EngineConfig, ProgressSink, SfumatoError
from engine import adapt as adapt_runs

from ..runner import OpenEngine
from . import adapt, bench, demo, doctor, infill, models, rewrite, serve
from .arguments import UsageError

__all__ = ["main"]

DESCRIPTION = "Code written in place: a language server and a command line around an in-process diffusion engine."
EXAMPLES = """\
first steps:
  sfumato doctor                                        is everything here that is needed?
  sfumato models pull                                   fetch and verify the model (about 0.5 GB, once)
  sfumato demo                                          watch it complete, fill and rewrite

everyday:
  sfumato serve                                         what an editor starts
  sfumato infill app.py --line 11 --character 8         complete at a position (0-based, UTF-16, as in LSP)
  sfumato infill app.py --hole 3:4-3:4 --hole 9:0-9:0   fill several holes at once
  sfumato rewrite app.py --range 10:0-18:0 --instruction "add type hints" --diff
  sfumato infill app.py --line 11 --character 8 --draft watch it denoise
  sfumato adapt train --repo .                          learn from your own code, in the background
  sfumato bench denoise                                 how fast is it here?

`sfumato COMMAND --help` explains a command. Exit codes: 0 done, 1 failed, 2 asked wrongly, 130 interrupted.
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = _Parser(
        prog="sfumato", description=DESCRIPTION, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"sfumato {version('sfumato')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (serve, infill, rewrite, models, adapt, bench, doctor, demo):
        command.add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None, *, open_engine: OpenEngine = engine.open_engine) -> int:
    """Run one command and return its exit code. `open_engine` is the seam tests use."""
    args = build_parser().parse_args(argv)
    args.open_engine = _with_chosen(open_engine)
    try:
        code = int(args.run(args))
        sys.stdout.flush()  # here, where a reader that has gone is handled
        return code
    except (UsageError, ConfigError) as error:
        return _say(error, 2)
    except (SfumatoError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader, say `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        return _say(error, 1)
    except KeyboardInterrupt:
        return 130


def _with_chosen(open_engine: OpenEngine) -> OpenEngine:
    """The default model is the one that `sfumato models use` named."""

    def opened(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
        chosen = adapt_runs.open_runs().chosen if config.model == DEFAULT_MODEL else None
        return open_engine(replace(config, model=chosen) if chosen else config, progress=progress)

    return opened


def _say(error: Exception, code: int) -> int:
    message = " ".join(str(error).split())
    print(f"sfumato: {message}", file=sys.stderr)
    return code
