"""Text to tokens and back, byte for byte, over the toy vocabulary; the real one is in test_embedded_loading.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.models.toy import toy_tokenizer
from engine.tokenizer import Tokenizer, build_bpe, control_tokens, whole_characters

TOYS = toy_tokenizer()
AWKWARD = st.sampled_from(
    [
        "🖌️",
        "👩‍👩‍👧‍👦",
        "漢字",
        "é",
        "e\u0301",
        "\r\n",
        "\r",
        "\t",
        "    ",
        " return",
        "<end>",
        "<|fim_middle|>",
        "\x0c",
        "\u2028",
    ]
)
texts = st.lists(st.one_of(AWKWARD, st.text(max_size=6)), max_size=8).map("".join)


@settings(max_examples=200, deadline=None)
@given(texts)
def test_text_comes_back_byte_for_byte(text: str) -> None:
    ids = TOYS.encode(text)
    assert TOYS.decode_bytes(ids) == text.encode()
    assert TOYS.decode(ids) == text
    assert not TOYS.control & set(ids)


@pytest.mark.parametrize("look_alike", ["<end>", "<middle>", "a<suffix>b"])
def test_what_looks_like_a_control_token_is_text(look_alike: str) -> None:
    assert not TOYS.control & set(TOYS.encode(look_alike))
    assert TOYS.decode(TOYS.encode(look_alike)) == look_alike


def test_control_tokens_have_no_text() -> None:
    assert TOYS.decode([*TOYS.encode("a"), *sorted(TOYS.control), *TOYS.encode("b")]) == "ab"


def test_a_lone_surrogate_becomes_a_replacement() -> None:
    assert TOYS.decode(TOYS.encode("a\ud83db")) == "a?b"


@settings(max_examples=200, deadline=None)
@given(texts, st.data())
def test_a_character_cut_off_at_the_end_is_left_out(text: str, data: st.DataObject) -> None:
    whole = text.encode()
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    kept = cut[: whole_characters(cut)]
    assert text.startswith(kept.decode())  # sound, so it decodes
    assert len(cut) - len(kept) < 4
    assert cut.decode(errors="ignore") == kept.decode()


@pytest.mark.parametrize("data", [b"", b"a", b"\x80\x80\x80\x80\x80", b"a\xff"])
def test_bytes_that_are_no_text_do_not_disturb_the_end(data: bytes) -> None:
    assert whole_characters(data) in (len(data), len(data) - 1)


@settings(max_examples=100, deadline=None)
@given(st.one_of(AWKWARD, st.sampled_from(["r", "re", "retu", " ", "=", "zq"])))
def test_continuing_finds_every_token_that_fits(text: str) -> None:
    pending = text.encode()
    fits = [
        number
        for number, name in enumerate(TOYS.token_bytes)
        if name and (name.startswith(pending) or pending.startswith(name))
    ]
    found = TOYS.continuing(pending)
    assert sorted(found) == sorted(set(found)) == fits


@settings(max_examples=100, deadline=None)
@given(texts)
def test_a_text_can_always_be_written_again(text: str) -> None:
    """From any pending bytes, tokens that continue them reach their end."""
    pending = text.encode()
    while pending:
        names = [TOYS.token_bytes[token] for token in TOYS.continuing(pending)]
        pending = pending[len(next(name for name in names if pending.startswith(name))) :]


def test_a_vocabulary_without_its_bytes_in_order() -> None:
    tokens = ["Ġ", "a", "b", "Ġa", "<x>", "ab"]
    tokenizer = Tokenizer(build_bpe(tokens, ["Ġ a", "a b"]), frozenset({4}))
    assert tokenizer.token_bytes == [b" ", b"a", b"b", b" a", b"", b"ab"]
    assert tokenizer.encode("ab a") == [5, 3]


def test_control_tokens_are_those_the_file_marks() -> None:
    assert control_tokens([1, 3, 1, 6, 3, 4]) == frozenset({1, 4})


def test_it_is_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    build_bpe(["a", "b", "ab"], ["a b"]).save(str(path))
    loaded = Tokenizer.load(path, frozenset())
    assert loaded.encode("aba") == [2, 0]


@pytest.mark.parametrize("content", [None, "", "{}", "not json"])
def test_a_file_that_is_no_tokenizer(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json is not a tokenizer"):
        Tokenizer.load(path, frozenset())


def test_numbers_are_split_digit_by_digit_and_words_keep_their_blank() -> None:
    """Qwen2's split: merges never reach over it."""
    tokens = [*"0123456789abĠ", "12", "Ġa", "aĠ"]
    tokenizer = Tokenizer(build_bpe(tokens, ["1 2", "Ġ a", "a Ġ"]), frozenset())
    assert [tokenizer.token_bytes[token] for token in tokenizer.encode("12 a a")] == [b"1", b"2", b" a", b" a"]


def test_line_ends_are_blanks_with_a_line_end() -> None:
    tokenizer = toy_tokenizer()
    assert {tokenizer.token_bytes[number] for number in tokenizer.line_ends} == {b"\n", b"\r", b"\n\n", b"\r\n"}
