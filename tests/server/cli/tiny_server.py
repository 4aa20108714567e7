"""A server for tests of the editor's side: a few methods that do what their name says. Run as a program."""

from __future__ import annotations

import json
import sys
from typing import Any


def read() -> dict[str, Any]:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not length:
        raise SystemExit(0)
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def send(**message: Any) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    header = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body)
    sys.stdout.buffer.write(header + body)
    sys.stdout.buffer.flush()


def main() -> None:
    while True:
        message = read()
        method, id_ = message.get("method"), message.get("id")
        if method == "echo":
            send(id=id_, result=message["params"])
        elif method == "fail":
            send(id=id_, error={"code": -32803, "message": "it failed"})
        elif method == "tell":
            send(method="sfumato/status", params={"state": "ready"})
            send(id=id_, result=None)
        elif method == "ask":
            send(id="from-server", method=message["params"]["method"], params=message["params"]["params"])
            send(id=id_, result=read()["result"])
        elif method == "chatter":
            sys.stderr.write("x" * 300_000 + "\n")
            send(id=id_, result=None)
        elif method == "die":
            sys.stderr.write("something broke\n")
            raise SystemExit(3)
        elif method == "shutdown" and "--stubborn" not in sys.argv:
            send(id=id_, result=None)
        elif method == "exit":
            raise SystemExit(0)


if __name__ == "__main__":
    main()
