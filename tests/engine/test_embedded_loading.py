"""The real model from the path of its file, and its real vocabulary."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import hub
from engine.config import EngineConfig
from engine.ending import AtFence, before_fence
from engine.models.embedded import QWEN_PROMPTS
from engine.models.load import Loaded, load

pytestmark = pytest.mark.model
AWKWARD = st.sampled_from(
    [
        "🖌️",
        "👩‍👩‍👧‍👦",
        "漢字",
        "é",
        "e\u0301",
        "\r\n",
        "\r",
        "\t\t",
        "    ",
        "\x0c",
        "\u2028",
        "<|fim_middle|>",
        "<|endoftext|>",
        "[PAD151700]",
    ]
)


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    path = hub.open_hub().fetch("embedded-base", lambda _: None)
    return load(EngineConfig(model=str(path)), lambda _: None)


def test_the_file_of_the_base_is_known_by_its_digest(loaded: Loaded) -> None:
    """Given as a path it is the embedded model all the same, adapters included."""
    assert loaded.info["digest"] == hub.open_hub().artifact("embedded").sha256
    assert loaded.info["adapters"].startswith("infiller 52dadcae3a87, denoiser 99ee71b6ab99")
    assert loaded.body.can_propose


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(AWKWARD, st.text(max_size=8)), max_size=8).map("".join))
def test_text_comes_back_byte_for_byte_and_holds_no_control_token(loaded: Loaded, text: str) -> None:
    ids = loaded.tokenizer.encode(text)
    assert loaded.tokenizer.decode_bytes(ids) == text.encode()
    assert not loaded.tokenizer.control & set(ids)


def test_the_prompts_control_tokens_have_no_text(loaded: Loaded) -> None:
    assert QWEN_PROMPTS.tokens <= loaded.tokenizer.control
    assert loaded.tokenizer.decode(QWEN_PROMPTS.tokens) == ""


@pytest.mark.parametrize("fence", ["```", "````", "`````"])
def test_a_fence_is_found_in_the_real_vocabulary(loaded: Loaded, fence: str) -> None:
    """Which writes it as two tokens before a line end, and never as one if it is longer."""
    tokens = loaded.tokenizer.encode(f"x = 1\n{fence}\nThis is it.")
    stop, written = AtFence(loaded.tokenizer, fence), []
    for token in tokens:
        if found := stop(written, [token]):
            written += [token][: found[0]]
            break
        written.append(token)
    assert before_fence(loaded.tokenizer.decode(written), fence) == "x = 1\n"
    assert len(written) < len(tokens) - 2
