"""The runner can fail: wrong cases for every check, before the real server."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from .case import BadCase, read_case
from .checks import CHECKS
from .running import run_lines

Json = Any
TABLE = "| a | b |\n|---|---|\n| 1 |\n"


def case(name: str, check: Json, **fields: Json) -> dict[str, Json]:
    """A completion of `x = ` by `1`, unless told otherwise."""
    plain = {"language": "python", "text": "x = \n", "position": {"line": 0, "character": 4}, "action": "complete"}
    return {"id": name, **plain, "candidate": "1", "checks": [check], **fields}


def rewriting(name: str, check: Json, candidate: str = "count", **fields: Json) -> dict[str, Json]:
    selection = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    fields = {"selection": selection, "instruction": "rename", **fields}
    return case(name, check, action="rewrite", candidate=candidate, text="x = 1\n", **fields)


def race(*events: Json) -> dict[str, Json]:
    return {"events": [dict(event, t=at) for at, event in enumerate(events)]}


START = {"line": 1, "character": 0}
ASK = {"do": "request", "id": 1, "version": 1}
SLOW_CANCEL = {"events": [{**ASK, "t": 0}, {"t": 200, "do": "cancel", "id": 1}]}
TYPED = {"do": "didChange", "version": 2, "range": {"start": START, "end": START}, "text": "\n"}
REFUSED = {"candidate": ")"}
MISSING = {"options": {"initializationOptions": {"model": "/no/model"}}}

WRONG = [
    (case("another text", {"equals_expect_text": True}, expect_text="x = 2\n"), "the document is 'x = 1\\n'"),
    (case("no text to equal", {"equals_expect_text": True}), "no expect_text"),
    (case("contains", {"contains": "x = 2"}), "no 'x = 2'"),
    (case("contains both", {"contains": ["x = 1", "x = 2"]}), "no 'x = 2'"),
    (case("one of none", {"text_in": ["x = 2\n"]}), "the document is"),
    (case("brackets", {"brackets_balance": True}, text="f(\nx = \n", position={"line": 1, "character": 4}), "'('"),
    (case("cells", {"table_cells_equal": True}, text=TABLE, language="markdown", **REFUSED), "1 cells"),
    (case("no table", {"table_cells_equal": True}), "there is no table"),
    (rewriting("range", {"edit_touches_only": "cursor"}), "nothing here is 'cursor'"),
    (case("no range", {"edit_touches_only": "cursor"}, **REFUSED), "no edit"),
    (case("wide", {"edit_touches_only": "cursor"}, text="f(  )\n", candidate="a) + 1"),
     "the edit is at"),
    (case("accepted", {"refused": True}), "not refused"),
    (case("another reason", {"refused": "empty"}, **REFUSED), "the reason is unmatched-bracket"),
    (case("no reason", {"refused": True}, **MISSING), "no reason"),
    (case("an edit", {"no_edit": True}), "1 edits"),
    (case("no version", {"edit_version_is_request_version": True}), "no versioned edit"),
    (rewriting("another version", {"edit_version_is_request_version": True},
               **race(ASK, TYPED, {"do": "engine_result"})),
     "versions [2], asked at 1"),
    (case("seen", {"engine_never_saw": [1]}, **race(ASK)), "once too often"),
    (case("seen and cancelled", {"engine_never_saw": [1]}, **SLOW_CANCEL), "once too often"),
    (case("nobody asked", {"engine_never_saw": [7]}, **race(ASK)), "no request 7"),
    (case("empty", {"last_answer_not_empty": True}, **REFUSED), "is empty"),
    (rewriting("no edit at last", {"last_answer_not_empty": True}, candidate="x"), "no edit"),
    (case("slow", {"answer_within_ms": 0}), " ms"),
    (case("not shown", {"prompt_contains": "y = "}), "'y = '"),
    (case("not asked", {"prompt_contains": "x = "}, **MISSING), "not asked"),
    (case("no request", {"each_request_answered_once": True}, action="didChange", events=[]), "no request"),
    (case("error message", {"no_error": True}, **MISSING), "/no/model"),
    (rewriting("error", {"no_error": True}, selection={"start": None, "end": None}), "Expected"),
    (case("quiet", {"messages_at_least": 1}), "0 messages"),
    (case("loud", {"messages_at_most": 0}, **MISSING), "1 messages"),
    (case("unnamed", {"message_names": "steps"}, **MISSING), "'steps'"),
    (case("completes", {"completes": True}, **MISSING), "it does not"),
    (case("next", {"next_request_answers": True}, **MISSING), "it does not"),
    (case("none", {"any_of": [{"refused": True}, {"contains": "2"}]}), "none holds"),
    (case("two in one", {"contains": "x = 1", "refused": True}), "refused"),
    (case("several", {"contains": "x = 1"}, checks=[{"contains": "x = 1"}, {"contains": "2"}]), "no '2'"),
    (case("refusing what must be", {"contains": "1"}, may_refuse=False, **REFUSED), "refused: unmatched-bracket"),
    (case("refusing is no excuse", {"answer_within_ms": 0}, may_refuse=True, **REFUSED), " ms"),
    (case("no verdict", {"contains": "1"}, may_refuse=True, **MISSING), "no '1'"),
    (case("variants", {"completes": True}, options={"initializationOptions_variants": [{}, {"model": "/no/model"}]}),
     "with initializationOptions {'model': '/no/model'}"),
    (case("unknown check", {"is_nice": True}), "unknown check 'is_nice'"),
    (case("unknown check within", {"any_of": [{"contains": "1"}, {"is_nice": True}]}), "unknown check"),
    (case("unknown value", {"refused": False}), "true or a reason"),
    (case("unknown place", {"edit_touches_only": "margin"}), "nothing here is 'margin'"),
    (case("empty check", {}), "an empty check"),
]  # fmt: skip

RIGHT = [
    case("plain", {"contains": "x = 1"}, checks=[{"text_in": ["x = 1\n", "x = 2\n"]}, {"edit_touches_only": "cursor"}]),
    case("refusing", {"contains": "1"}, may_refuse=True, **REFUSED),
    case("reason", {"refused": "unmatched-bracket"}, **REFUSED),
    case("brackets in strings", {"brackets_balance": True}, candidate='"(" # ['),
    case("automatic", {"refused": "mid-line"}, trigger="automatic", text="x =  + y(z)\n"),
    case("bytes", {"contains": "x = é"}, candidate_chunks_hex=["c3", "a9"]),
    case("held", {"contains": "x = 2"}, **race(ASK, {"do": "engine_result", "text": "2"})),
    case("typed", {"equals_expect_text": True}, candidate="value", expect_text="x = value\n", **race(
        ASK,
        {"do": "didChange", "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 4}},
         "text": "v"},
        {"do": "engine_result"},
    )),
    case("padded", {"contains": "\nx = 1"}, pad_before={"head": "#", "unit": "y", "times": 3},
         text="\nx = \n", position={"line": 1, "character": 4}),
    case("options", {"message_names": "colour"}, options={"colour": 1}),
    case("inserted", {"contains": "x = 1"}, action="rewrite", instruction="one"),
    case("filled", {"contains": "x = 1"}, action="fim"),
    rewriting("rewritten", {"edit_version_is_request_version": True}, options={"open_version": 5}),
]  # fmt: skip


@pytest.fixture(scope="module")
def verdicts() -> dict[str, str]:
    """All of them, before one server as far as may be."""

    async def run() -> dict[str, str]:
        lines = [json.dumps(one) for one in [*(wrong for wrong, _ in WRONG), *RIGHT]]
        return {verdict.id: verdict.fault async for verdict in run_lines(lines)}

    return asyncio.run(run())


@pytest.mark.parametrize(("wrong", "why"), WRONG, ids=lambda value: value["id"] if isinstance(value, dict) else "")
def test_wrong_cases_fail(verdicts: dict[str, str], wrong: Json, why: str) -> None:
    assert why in verdicts[wrong["id"]]


@pytest.mark.parametrize("right", RIGHT, ids=lambda value: value["id"])
def test_right_cases_pass(verdicts: dict[str, str], right: Json) -> None:
    assert verdicts[right["id"]] == ""


def test_every_check_is_seen_to_fail() -> None:
    """The others need a server that is broken: it would have to die, or to write half a character."""
    seen = {name for wrong, _ in WRONG for name in wrong["checks"][0]}
    assert CHECKS.keys() - seen == {"server_alive", "well_formed_unicode", "progress_ended"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"action": "dance"}', "unknown action 'dance'"),
        ('{"action": "complete", "id": "a"}', "complete without language, text, checks, position"),
        (json.dumps(case("a", {}, checks=[])), "nothing is checked"),
        (json.dumps(case("a", {}, events=[{"t": 0, "do": "sleep"}])), "unknown event 'sleep'"),
        (json.dumps(case("a", {}, options={"open_version": 1, "colour": 1})), "unknown option 'colour'"),
        (json.dumps(case("a", {}, trigger="never")), "unknown trigger"),
        (json.dumps(case("a", {}, candidate=["a", "b"])), "must be a text"),
        (json.dumps(case("a", {}, action="fim", candidate=["a", "b"])), "1 holes, but 2 texts"),
        (json.dumps(case("a", {}, candidate_chunks_hex=["zz"])), "malformed"),
    ],
)
def test_what_is_no_case_is_said(line: str, why: str) -> None:
    with pytest.raises(BadCase) as refused:
        read_case(line)
    assert why in str(refused.value)
