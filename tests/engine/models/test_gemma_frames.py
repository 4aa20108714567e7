"""The chat around a canvas: the template's control tokens, the user's text as it is, and what is pinned."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.models.checkpoint import read_checkpoint
from engine.models.gemma_frames import GemmaFrames
from engine.models.gemma_tokenizer import GemmaTokenizer
from engine.request import Hole, InfillRequest, RewriteRequest, Snippet

from .small_gemma import BOS, TEMPLATE, TURN_END, TURN_START, small_tokenizer


def frames_of(folder: Path, template: str = TEMPLATE) -> GemmaFrames:
    (folder / "config.json").write_text('{"model_type": "diffusion_gemma"}')
    (folder / "model.safetensors").write_text("")
    (folder / "tokenizer_config.json").write_text('{"bos_token": {"content": "<bos>"}}')
    (folder / "chat_template.jinja").write_text(template)
    small_tokenizer().save(str(folder / "tokenizer.json"))
    return GemmaFrames.read(read_checkpoint(folder), GemmaTokenizer.read(folder / "tokenizer.json"))


@pytest.fixture
def frames(tmp_path: Path) -> GemmaFrames:
    return frames_of(tmp_path)


def infill(text: str = "", **more: object) -> InfillRequest:
    return InfillRequest(text, (Hole(0, 0),), language="python", **more)  # type: ignore[arg-type]


def test_the_turns_are_the_templates(frames: GemmaFrames) -> None:
    assert frames.before[:2] == (BOS, TURN_START)
    assert frames.tokenizer.decode(frames.before) == "user\n"
    assert frames.between[0] == TURN_END
    assert frames.tokenizer.decode(frames.between) == "\nmodel\n"
    assert frames.end == TURN_END


def test_an_infill_begins_the_answer_and_pins_what_follows(frames: GemmaFrames) -> None:
    frame = frames.infill(infill(), "def f(x):\n    ret", "\n\nprint(f(1))", 200, 40)
    text = frames.tokenizer.decode(frame.prompt)
    assert "goes on with:\n```python\n\n\nprint(f(1))\n```\n" in text
    assert (text + frame.pending.decode()).endswith("model\n```python\ndef f(x):\n    ret")
    assert frame.pending
    assert b"\n" not in frame.pending
    assert frames.tokenizer.decode(frame.tail) == "\n\nprint(f(1))\n```"
    assert frame.tail[-1] == TURN_END


def test_a_suffix_that_goes_on_is_pinned_as_far_as_there_is_room(frames: GemmaFrames) -> None:
    frame = frames.infill(infill(), "", "zyxwvuts", 200, 5)
    assert frames.tokenizer.decode(frame.tail) == "zyxwv"
    assert TURN_END not in frame.tail
    frame = frames.infill(infill(), "", "", 200, 5)
    assert frames.tokenizer.decode(frame.tail) == "\n```"


def test_typing_only_appends_to_the_prompt(frames: GemmaFrames) -> None:
    shorter = frames.infill(infill(), "x = 1\ny ", "\nz", 200, 5).prompt
    longer = frames.infill(infill(), "x = 1\ny = 2\nprin", "\nz", 200, 5).prompt
    assert longer[: len(shorter)] == shorter


def test_the_names_of_control_tokens_in_a_users_text_are_text(frames: GemmaFrames) -> None:
    request = infill(path="<eos>.py", snippets=(Snippet("<|turn>", "<turn|>"),))
    frame = frames.infill(request, "<bos>", "<turn|>x", 300, 9)
    plain = frames.infill(infill(), "a", "b", 300, 9)
    control = frames.tokenizer.control
    assert [token for token in frame.prompt if token in control] == [
        token for token in plain.prompt if token in control
    ]
    assert frames.tokenizer.decode(frame.tail) == "<turn|>x\n```"


def test_a_rewrite_shows_the_selection_and_opens_a_fence_that_the_text_lacks(frames: GemmaFrames) -> None:
    request = RewriteRequest("a = 1\n```b\nc", 6, 11, "Say it\n", language="python")
    frame = frames.rewrite(request, 200)
    text = frames.tokenizer.decode(frame.prompt)
    assert frame.fence == "````"
    assert "Rewrite this code:\n````python\n```b\n\n````\n" in text
    assert "stands before it:\n````python\na = 1\n" in text
    assert text.endswith("\nmodel\n````python\n")


def test_budgets_are_kept(frames: GemmaFrames) -> None:
    long = "abc def\n" * 300
    inf, rew = infill(), RewriteRequest(long + "x" + long, len(long), len(long) + 1, "Do")
    empty = (
        len(frames.infill(inf, "", "", 64, 8).prompt),
        len(frames.rewrite(RewriteRequest("x", 0, 1, "Do"), 64).prompt),
    )
    assert len(frames.infill(inf, long, long, 64, 8).prompt) <= empty[0] + 64
    assert len(frames.infill(inf, long, long, 64, 8).tail) == 8
    assert len(frames.rewrite(rew, 64).prompt) <= empty[1] + 64 + 50  # the sentences around what is shown


def test_the_last_snippets_that_fit_are_shown(frames: GemmaFrames) -> None:
    snippets = (Snippet("a.py", "first"), Snippet("b.py", "z" * 90), Snippet("c.py", "third"))
    shown = {
        budget: frames.tokenizer.decode(frames.infill(infill(snippets=snippets), "", "", budget, 5).prompt)
        for budget in (20, 80, 800)
    }
    assert [("third" in text, "zzz" in text, "first" in text) for text in shown.values()] == [
        (False, False, False),
        (True, False, False),
        (True, True, True),
    ]


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{{ messages[0]['content'] ", "cannot be used"),
        ("{{ raise_exception('no') }}", "cannot be used: no"),
        ("hello", "does not show a message once"),
        ("{% for m in messages %}{{ m['content'] }}{% endfor %}", "ends an answer with no control token"),
    ],
)
def test_a_template_that_cannot_be_used(tmp_path: Path, template: str, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        frames_of(tmp_path, template)
