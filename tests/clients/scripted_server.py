"""The real server over the scripted engine: `python -m tests.clients.scripted_server --script FILE [--tcp PORT]`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from server.app import create_server, serve_stdio, serve_tcp

from .scripted_engine import ScriptedOpening


def main() -> int:
    """Serve until the client goes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--tcp", type=int)
    args = parser.parse_args()
    server = create_server(ScriptedOpening(json.loads(args.script.read_text(encoding="utf-8"))))
    return serve_stdio(server) if args.tcp is None else serve_tcp(server, "127.0.0.1", args.tcp)


if __name__ == "__main__":
    sys.exit(main())
