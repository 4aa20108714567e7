"""The engine's front: requests that make no sense, modes, what results say, and that nothing is left of a request."""

from __future__ import annotations

from dataclasses import replace

import pytest

import engine
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.engine import LocalEngine
from engine.errors import Cancelled, RequestError
from engine.models.toy import Toy
from engine.request import Drafts, Hole, InfillRequest, Mode, RewriteRequest, Snippet, StopReason

CODE = "def add(a, b):\n    return a + b\n\n\nprint(add(1, 2))\n"


def opened(toy: Toy | None = None, **config: int) -> LocalEngine:
    return LocalEngine(toy or Toy(), EngineConfig(model="toy", **config), {"model": "toy"}, load_ms=7)  # type: ignore[arg-type]


def at(offset: int, text: str = CODE, **more: object) -> InfillRequest:
    return InfillRequest(text, (Hole(offset, offset),), **{"max_tokens": 12, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (InfillRequest("abc", ()), "no hole to fill"),
        (InfillRequest("abc", (Hole(-1, 1),)), "hole -1:1 .* outside the text of 3 characters"),
        (InfillRequest("abc", (Hole(0, 4),)), "hole 0:4"),
        (InfillRequest("abc", (Hole(2, 1),)), "hole 2:1"),
        (InfillRequest("abc", (Hole(0, 2), Hole(1, 3))), "hole 1:3 overlaps"),
        (InfillRequest("abc", (Hole(2, 3), Hole(0, 1))), "hole 0:1"),
        (InfillRequest("abc", (Hole(0, 0),), max_tokens=0), "max_tokens and candidates must be 1 or more"),
        (InfillRequest("abc", (Hole(0, 0),), candidates=0), "max_tokens and candidates must be 1 or more"),
        (InfillRequest("abc", (Hole(0, 0),), mode=Mode.LOSSLESS, candidates=2), "use joint for more"),
        (InfillRequest("abc", (Hole(0, 0), Hole(1, 1)), mode=Mode.LOSSLESS), "use joint for more"),
    ],
)
def test_infill_requests_that_make_no_sense(request_: InfillRequest, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        opened().infill(request_)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (RewriteRequest("abc", -1, 2, "x"), "range -1:2 lies outside the text of 3 characters"),
        (RewriteRequest("abc", 2, 1, "x"), "range 2:1"),
        (RewriteRequest("abc", 0, 4, "x"), "range 0:4"),
        (RewriteRequest("abc", 0, 3, " \n"), "the instruction is empty"),
        (RewriteRequest("abc", 0, 3, "x", max_tokens=0), "max_tokens must be 1 or more"),
        (RewriteRequest("abc", 0, 3, "x", attempt=-1), "attempt 0 or more"),
    ],
)
def test_rewrite_requests_that_make_no_sense(request_: RewriteRequest, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        opened().rewrite(request_)


def test_a_model_without_a_denoiser_does_not_pretend_to_draft_with_one() -> None:
    request = RewriteRequest("abc", 0, 3, "x", drafts=Drafts.DENOISER)
    with pytest.raises(RequestError, match="no denoiser"):
        opened(Toy(canvas=0)).rewrite(request)


@pytest.mark.parametrize(
    ("more", "mode"),
    [({}, Mode.LOSSLESS), ({"candidates": 2}, Mode.JOINT), ({"mode": Mode.JOINT}, Mode.JOINT)],
)
def test_the_mode_that_a_request_gets(more: dict[str, object], mode: Mode) -> None:
    assert opened().infill(at(5, **more)).mode is mode
    assert opened().infill(InfillRequest("ab", (Hole(0, 0), Hole(1, 1)), max_tokens=3)).mode is Mode.JOINT


@pytest.mark.parametrize("offset", range(0, len(CODE) + 1, 5))
def test_an_embedded_engine_writes_what_a_causal_one_writes(offset: int) -> None:
    causal = opened(Toy(canvas=0)).infill(at(offset, max_tokens=30))
    embedded = opened(Toy(accuracy=0.8)).infill(at(offset, max_tokens=30))
    assert causal.candidates[0].texts == embedded.candidates[0].texts
    assert causal.usage.tokens == embedded.usage.tokens
    assert causal.usage.forwards >= embedded.usage.forwards


def test_the_draft_of_a_lossless_hole_is_not_read() -> None:
    plain = opened().infill(at(10, "return xyz\n")).candidates[0].texts
    drafted = InfillRequest("return xyzQQQ\n", (Hole(10, 13),), max_tokens=12)
    assert opened().infill(drafted).candidates[0].texts == plain


def test_a_warm_engine_writes_what_a_fresh_one_writes() -> None:
    """Whatever was asked before: other texts, keystrokes, rewrites, cancelled and interrupted requests."""
    warm = opened(Toy(accuracy=0.7))
    cancelled = CancelToken()
    cancelled.cancel()
    for size in range(1, len(CODE), 4):
        asked = at(size, CODE[:size] + CODE[size + 3 :])
        if size % 3 == 0:
            warm.infill(at(3, "unrelated = 1\n" * size))
        if size % 5 == 0:
            with pytest.raises(Cancelled):
                warm.infill(at(size), cancel=cancelled)
        if size % 7 == 0:
            warm.rewrite(RewriteRequest(CODE, 0, 14, "Rename it.", max_tokens=5))
            warm.infill(replace(asked, candidates=2))
        if size % 11 == 0:
            warm.infill(replace(asked, deadline_s=0))
        assert warm.infill(asked).candidates == opened(Toy(accuracy=0.7)).infill(asked).candidates


def test_a_keystroke_costs_a_few_tokens() -> None:
    warm, reused = opened(), []
    for size in range(20, 32):
        usage = warm.infill(at(size, CODE[:size] + CODE[31:])).usage
        reused.append(usage.prompt_tokens - usage.reused_tokens)
    assert max(reused[1:]) <= 12


def test_a_result_tells_its_cost_and_loading_once() -> None:
    warm = opened()
    first, second = warm.infill(at(5)), warm.infill(at(6))
    assert (first.usage.ms.load, second.usage.ms.load) == (7, 0)
    assert first.usage.ms.total >= 7
    assert first.model == "toy"
    assert first.usage.reused_tokens == 0 < second.usage.reused_tokens < second.usage.prompt_tokens
    assert first.usage.tokens > 0 < first.usage.forwards


def test_snippets_are_shown_to_the_model() -> None:
    toy = Toy(["shared_name = 42\n"])
    with_snippet = at(9, "x = shared", snippets=(Snippet("a.py", "print(1)"),))
    assert (
        opened(toy).infill(with_snippet).usage.prompt_tokens
        > opened(toy).infill(at(9, "x = shared")).usage.prompt_tokens
    )


def test_several_holes_come_back_in_order_with_one_reason() -> None:
    request = InfillRequest("a = \nb = \n", (Hole(4, 4), Hole(9, 9)), max_tokens=3)
    result = opened().infill(request)
    [candidate] = result.candidates
    assert len(candidate.texts) == 2
    assert candidate.stop_reason in (StopReason.END, StopReason.LENGTH)
    late = opened().infill(replace(request, deadline_s=0))
    assert late.candidates[0].stop_reason is StopReason.DEADLINE


def test_rewrite_replaces_the_selection_only() -> None:
    toy = Toy(["assistant\n```python\nreturn b + a\n```"])
    start = CODE.index("return")
    result = opened(toy).rewrite(RewriteRequest(CODE, start, start + 12, "Swap a and b.", "python"))
    assert (result.text, result.stop_reason, result.model) == ("return b + a\n", StopReason.END, "toy")


def test_cancel_and_deadline_reach_both() -> None:
    cancelled = CancelToken()
    cancelled.cancel()
    rewrite = RewriteRequest(CODE, 0, 3, "x", deadline_s=0)
    with pytest.raises(Cancelled):
        opened().infill(at(5), cancel=cancelled)
    with pytest.raises(Cancelled):
        opened().rewrite(rewrite, cancel=cancelled)
    assert opened().rewrite(rewrite).stop_reason is StopReason.DEADLINE


def test_info_cannot_be_changed() -> None:
    info = opened().info
    with pytest.raises(TypeError):
        info["model"] = "other"  # type: ignore[index]


def test_the_public_names_are_there() -> None:
    assert issubclass(engine.RequestError, engine.SfumatoError)
    assert all(hasattr(engine, name) for name in engine.__all__)
