"""`sfumato serve`: the language server, over stdio or TCP. Knows addresses; the server itself is `server.app`."""

from __future__ import annotations

import argparse
from dataclasses import replace

from engine import DEFAULT_MODEL, Engine, EngineConfig, ProgressSink

from ..runner import OpenEngine
from .arguments import Commands, add_model_option

_EXAMPLES = """\
  sfumato serve                        what an editor starts: LSP over standard input and output
  sfumato serve --tcp 127.0.0.1:7391   one client over a loopback socket

The README tells how VS Code and Neovim start it.
"""


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "serve",
        help="start the language server",
        description="Start the language server. It reads the model when a client first needs it.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    road = parser.add_mutually_exclusive_group()
    road.add_argument("--stdio", action="store_true", help="standard input and output (default)")
    road.add_argument("--tcp", type=_parse_address, metavar="HOST:PORT", help="listen on a socket")
    parser.add_argument(
        "--allow-remote", action="store_true", help="let --tcp listen where other machines reach it, unencrypted"
    )
    add_model_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until the client goes."""
    from ..app import create_server, serve_stdio, serve_tcp

    server = create_server(_with_model(args.open_engine, args.model))
    if args.tcp:
        host, port = args.tcp
        return serve_tcp(server, host, port, args.allow_remote)
    return serve_stdio(server)


def _with_model(open_engine: OpenEngine, model: str) -> OpenEngine:
    """The command line's model, if one was named, over the client's setting."""

    def opened(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
        return open_engine(replace(config, model=model) if model != DEFAULT_MODEL else config, progress=progress)

    return opened


def _parse_address(text: str) -> tuple[str, int]:
    """`HOST:PORT`; an IPv6 host stands in brackets."""
    host, separator, port = text.rpartition(":")
    if not (separator and host and port.isdecimal() and int(port) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:7391")
    return host.removeprefix("[").removesuffix("]"), int(port)
