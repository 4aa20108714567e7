"""What may be checked of the outcome of a case. A check that is not known here fails, and so does an unknown value.

about the text      equals_expect_text, contains (one or several), text_in (one of several documents),
                    brackets_balance, table_cells_equal, edit_touches_only (cursor, selection)
about refusing      refused (true, or the reason), no_edit, edit_version_is_request_version
about the answers   each_request_answered_once, engine_never_saw (request ids), last_answer_not_empty,
                    answer_within_ms, well_formed_unicode, prompt_contains (one or several)
about the session   no_error, server_alive, completes, next_request_answers, messages_at_least, messages_at_most,
                    message_names (one or several), progress_ended
any_of              a list of such objects, one of which holds

`may_refuse`: a refusal with a name that leaves the document untouched passes in place of what is about the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .acting import Outcome
from .case import BadCase
from .reading import bracket_fault, has_lone_surrogate, table_fault

Json = Any
Check = Callable[[Outcome, Json], str]
_ERROR = 1  # MessageType
_CANCELLED = (-32800, -32801, -32802)  # RequestCancelled, ContentModified, ServerCancelled
_ABOUT_TEXT = {
    "equals_expect_text",
    "contains",
    "text_in",
    "brackets_balance",
    "table_cells_equal",
    "edit_touches_only",
}


def faults_of(outcome: Outcome) -> list[str]:
    """Why the case fails; empty if it passes."""
    faults = list(outcome.faults)
    if not outcome.server_text_is_ours:
        faults.append("the server's copy of the document is another")
    return faults + [fault for check in outcome.case.checks if (fault := _judge(outcome, check))]


def _judge(outcome: Outcome, check: Mapping[str, Json]) -> str:
    if not check:
        raise BadCase("an empty check")
    refusal_will_do = bool(outcome.case.fields.get("may_refuse")) and _untouched(outcome) and bool(outcome.refused)
    faults = []
    for name, value in check.items():
        if name not in CHECKS:
            raise BadCase(f"unknown check {name!r}")
        fault = CHECKS[name](outcome, value)
        if fault and not (refusal_will_do and name in _ABOUT_TEXT):
            faults.append(f"{name}: {fault}")
    return "; ".join(faults)


def _untouched(outcome: Outcome) -> bool:
    return not outcome.edits and outcome.document == outcome.before


def _is_true(value: Json) -> None:
    if value is not True:
        raise BadCase(f"only true makes sense here, not {value!r}")


def _texts(value: Json) -> Sequence[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise BadCase(f"a text or several are needed, not {value!r}")
    return texts


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadCase(f"a number is needed, not {value!r}")
    return value


def _shown(text: str) -> str:
    return repr(text if len(text) <= 300 else f"{text[:100]}…{text[-200:]}")


def _equals_expect_text(outcome: Outcome, value: Json) -> str:
    _is_true(value)
    if "expect_text" not in outcome.case.fields:
        raise BadCase("no expect_text to equal")
    return "" if outcome.document == outcome.case.fields["expect_text"] else _found(outcome)


def _found(outcome: Outcome) -> str:
    why = f" (refused: {outcome.refused})" if outcome.refused else "" if outcome.edits else " (no edit)"
    return f"the document is {_shown(outcome.document)}{why}"


def _contains(outcome: Outcome, value: Json) -> str:
    missing = [text for text in _texts(value) if text not in outcome.document]
    return f"no {missing[0]!r}; {_found(outcome)}" if missing else ""


def _text_in(outcome: Outcome, value: Json) -> str:
    return "" if outcome.document in _texts(value) else _found(outcome)


def _brackets_balance(outcome: Outcome, value: Json) -> str:
    _is_true(value)
    fault = bracket_fault(outcome.document, outcome.case.language)
    return f"{fault}; {_found(outcome)}" if fault else ""


def _table_cells_equal(outcome: Outcome, value: Json) -> str:
    _is_true(value)
    fault = table_fault(outcome.document)
    return f"{fault}; {_found(outcome)}" if fault else ""


def _edit_touches_only(outcome: Outcome, value: Json) -> str:
    place = outcome.cursor if value == "cursor" else outcome.case.fields.get("selection")
    if value not in ("cursor", "selection") or place is None:
        raise BadCase(f"nothing here is {value!r}")
    if not outcome.edits:
        return "no edit"
    start, end = (place, place) if value == "cursor" else (place["start"], place["end"])
    for edit in outcome.edits:
        ends = edit["range"]["start"], edit["range"]["end"]
        if not _key(start) <= _key(ends[0]) <= _key(ends[1]) <= _key(end):
            return f"the edit is at {edit['range']}"
    return ""


def _key(position: Mapping[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]


def _refused(outcome: Outcome, value: Json) -> str:
    if value is not True and not isinstance(value, str):
        raise BadCase(f"true or a reason is needed, not {value!r}")
    if not _untouched(outcome):
        return f"not refused; {_found(outcome)}"
    if not outcome.refused:
        return "there is no edit, but no reason either"
    return "" if value is True or value == outcome.refused else f"the reason is {outcome.refused}"


def _no_edit(outcome: Outcome, value: Json) -> str:
    _is_true(value)
    return f"there are {len(outcome.edits)} edits" if outcome.edits else ""


def _edit_version_is_request_version(outcome: Outcome, value: Json) -> str:
    _is_true(value)
    wanted = outcome.asked[-1].version if outcome.asked else None
    if not outcome.versions:
        return "no versioned edit"
    return "" if set(outcome.versions) == {wanted} else f"versions {outcome.versions}, asked at {wanted}"


def _each_request_answered_once(outcome: Outcome, value: Json) -> str:
    _is_true(value)
    if not outcome.asked:
        raise BadCase("no request to answer")
    for asked in outcome.asked:
        answers = [one for one in outcome.heard if "method" not in one and one.get("id") == asked.id]
        if len(answers) != 1:
            return f"request {asked.name} was answered {len(answers)} times"
    return ""


def _engine_never_saw(outcome: Outcome, value: Json) -> str:
    """The engine is not told ids: every call it notes must find a request of its own that it may be for."""
    if not isinstance(value, list):
        raise BadCase(f"request ids are needed, not {value!r}")
    if unknown := [name for name in value if name not in [asked.name for asked in outcome.asked]]:
        raise BadCase(f"there is no request {unknown[0]!r}")
    allowed = sorted(asked.at for asked in outcome.asked if asked.name not in value)
    calls = sorted(note["at"] for note in outcome.engine if note["event"] in ("infill", "rewrite"))
    calls = calls[: len(calls) - _calls_of_probes(outcome)]
    for call in calls:
        if not allowed or allowed[0] > call:
            return f"the engine was asked {len(calls)} times, once too often or too early"
        allowed.pop(0)
    return ""


def _calls_of_probes(outcome: Outcome) -> int:
    """Calls after the last answer of the case: of the requests that other checks ask for."""
    last = max((asked.at + asked.ms / 1000 for asked in outcome.asked), default=0.0)
    return sum(note["at"] > last for note in outcome.engine if note["event"] in ("infill", "rewrite"))


def _last_answer_not_empty(outcome: Outcome, value: Json) -> str:
    _is_true(value)
    if not outcome.asked:
        raise BadCase("no request to answer")
    if outcome.case.action == "complete":
        return "" if outcome.asked[-1].items else "the last answer is empty"
    return "" if outcome.edits else "the last request made no edit"


def _answer_within_ms(outcome: Outcome, value: Json) -> str:
    limit = _number(value)
    if not outcome.asked:
        raise BadCase("no request to answer")
    slowest = max(asked.ms for asked in outcome.asked)
    return "" if slowest <= limit else f"{slowest:.0f} ms"


def _well_formed_unicode(outcome: Outcome, value: Json) -> str:
    _is_true(value)
    if has_lone_surrogate(outcome.document) or any(has_lone_surrogate(message) for message in outcome.heard):
        return "there is a lone surrogate"
    return ""


def _prompt_contains(outcome: Outcome, value: Json) -> str:
    asked = [note for note in outcome.engine if note["event"] in ("infill", "rewrite")]
    if not asked:
        return "the engine was not asked"
    shown = "\n".join([asked[0]["text"], asked[0].get("instruction", ""), str(asked[0].get("snippets", ""))])
    missing = [text for text in _texts(value) if text not in shown]
    return f"the engine was not shown {missing[0]!r}" if missing else ""


def _no_error(outcome: Outcome, value: Json) -> str:
    _is_true(value)
    errors = [str(one["error"]) for one in outcome.heard if "error" in one and one["error"]["code"] not in _CANCELLED]
    errors += [text for kind, text in _said(outcome, "window/showMessage", "window/logMessage") if kind == _ERROR]
    errors += re.findall(r".*(?: ERROR | CRITICAL |Traceback).*", outcome.log)
    return errors[0] if errors else ""


def _said(outcome: Outcome, *methods: str) -> list[tuple[int, str]]:
    messages = [one["params"] for one in outcome.heard if one.get("method") in methods]
    return [(message["type"], message["message"]) for message in messages]


def _visible(outcome: Outcome) -> list[str]:
    return [text for _, text in _said(outcome, "window/showMessage", "window/showMessageRequest")]


def _messages_at_least(outcome: Outcome, value: Json) -> str:
    found = _visible(outcome)
    return "" if len(found) >= _number(value) else f"{len(found)} messages: {found}"


def _messages_at_most(outcome: Outcome, value: Json) -> str:
    found = _visible(outcome)
    return "" if len(found) <= _number(value) else f"{len(found)} messages: {found}"


def _message_names(outcome: Outcome, value: Json) -> str:
    found = _visible(outcome)
    missing = [name for name in _texts(value) if not any(name in text for text in found)]
    return f"none of {found} names {missing[0]!r}" if missing else ""


def _progress_ended(outcome: Outcome, value: Json) -> str:
    _is_true(value)
    kinds: dict[Json, list[str]] = {}
    for one in outcome.heard:
        if one.get("method") == "$/progress":
            kinds.setdefault(one["params"]["token"], []).append(one["params"]["value"]["kind"])
    wrong = [told for told in kinds.values() if (told[0], told[-1], told.count("end")) != ("begin", "end", 1)]
    return f"progress went {wrong[0]}" if wrong else ""


def _probed(name: str) -> Check:
    def check(outcome: Outcome, value: Json) -> str:
        _is_true(value)
        return "" if outcome.probes.get(name) else "it does not"

    return check


def _any_of(outcome: Outcome, value: Json) -> str:
    if not isinstance(value, list) or not value:
        raise BadCase(f"a list of checks is needed, not {value!r}")
    faults = [_judge(outcome, check) for check in value]
    return "" if not all(faults) else f"none holds: {' / '.join(faults)}"


CHECKS: Mapping[str, Check] = {
    "equals_expect_text": _equals_expect_text,
    "contains": _contains,
    "text_in": _text_in,
    "brackets_balance": _brackets_balance,
    "table_cells_equal": _table_cells_equal,
    "edit_touches_only": _edit_touches_only,
    "refused": _refused,
    "no_edit": _no_edit,
    "edit_version_is_request_version": _edit_version_is_request_version,
    "each_request_answered_once": _each_request_answered_once,
    "engine_never_saw": _engine_never_saw,
    "last_answer_not_empty": _last_answer_not_empty,
    "answer_within_ms": _answer_within_ms,
    "well_formed_unicode": _well_formed_unicode,
    "prompt_contains": _prompt_contains,
    "no_error": _no_error,
    "messages_at_least": _messages_at_least,
    "messages_at_most": _messages_at_most,
    "message_names": _message_names,
    "progress_ended": _progress_ended,
    "server_alive": _probed("server_alive"),
    "completes": _probed("completes"),
    "next_request_answers": _probed("next_request_answers"),
    "any_of": _any_of,
}
