"""JSON-RPC as pygls speaks it, with its gaps closed. Knows message frames, no feature and no lsprotocol.

- Every request is answered exactly once, also one whose parameters make no sense, comes too early or too late.
- pygls' own copy of the documents is left out: it counts lines differently, and re-splits a whole file at each change.
- `workspace/executeCommand` is a coroutine like any other request, so that `$/cancelRequest` reaches the command.
"""

from __future__ import annotations

import json
import logging

from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcMethodNotFound, JsonRpcParseError
from pygls.protocol import LanguageServerProtocol

from .log import log_fault

log = logging.getLogger(__name__)

OURS = (
    "exit",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "window/workDoneProgress/cancel",
    "workspace/executeCommand",
)
_NOT_INITIALIZED = -32002


class TolerantProtocol(LanguageServerProtocol):
    """What a server gets as `protocol_cls`; messages come in through `receive`."""

    _is_initialized = False

    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()  # type: ignore[no-untyped-call]
        for method in OURS:
            del self.fm.builtin_features[method]

    @property
    def was_shut_down(self) -> bool:
        """Whether the client sent `shutdown`."""
        return self._shutdown

    def receive(self, body: bytes) -> None:
        """Handle one message; never raises."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            self._answer_error(None, JsonRpcParseError("the message is not JSON"))
            return
        if not isinstance(data, dict) or data.get("jsonrpc") != self.VERSION:
            self._answer_error(None, JsonRpcInvalidRequest("the message is not a JSON-RPC 2.0 object"))
            return
        if "method" in data and not (isinstance(data["method"], str) and _is_id(data.get("id", 0))):
            msg_id = data.get("id")
            self._answer_error(
                msg_id if _is_id(msg_id) else None, JsonRpcInvalidRequest("no such method, or no such id")
            )
            return
        if refusal := self._refusal(data):
            if _is_request(data):
                self._answer_error(data["id"], refusal)
            return
        if data.get("method") == "initialized":
            data["params"] = {}  # some clients leave it out
        try:
            message = self.structure_message(data)
            if _is_request(data) and not hasattr(message, "id"):
                raise JsonRpcMethodNotFound.of(data["method"])  # it is a notification, and so would never be answered
            self.handle_message(message)
        except JsonRpcException as error:
            self._reject(data, error)
        except Exception as error:  # noqa: BLE001 - such as an answer to a request that was cancelled meanwhile
            log_fault("handling a message", error)

    def _refusal(self, data: dict[str, object]) -> JsonRpcException | None:
        """Why a message comes at the wrong time."""
        method = data.get("method")
        if method is None or method == "exit":
            return None
        if self.was_shut_down:
            return JsonRpcInvalidRequest("the server was shut down")
        if method == "initialize":
            refusal = JsonRpcInvalidRequest("the server is initialized already") if self._is_initialized else None
            self._is_initialized = True
            return refusal
        return None if self._is_initialized else JsonRpcException("initialize comes first", _NOT_INITIALIZED)

    def _reject(self, data: dict[str, object], error: JsonRpcException) -> None:
        """Answer for a message whose parameters could not be read."""
        log.warning("unreadable parameters: %s", data.get("method", "a response"))
        if _is_request(data):
            if data["method"] == "initialize":
                self._is_initialized = False
            self._answer_error(data["id"], error)
        elif "id" in data and "method" not in data:
            self._handle_response(data["id"], None, error.to_response_error())  # type: ignore[arg-type]

    def _answer_error(self, msg_id: object, error: JsonRpcException) -> None:
        """Not by way of `_send_response`: it leaves out an id that is null."""
        answer = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": answer})


def _is_id(value: object) -> bool:
    """Whether a request may be named so: by a string or an integer."""
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _is_request(data: dict[str, object]) -> bool:
    return "id" in data and "method" in data
