"""Gemma's tokenizer gives every text back, and never makes a control token of one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.models.gemma_tokenizer import GemmaTokenizer

from .small_gemma import CONTROL, small_tokenizer

AWKWARD = st.sampled_from(["▁", " ▁ ", "🖌️", "é", "e\u0301", "\r\n", "\r", "\t", "    ", "<eos>", "<|turn>", "<0x41>"])


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> GemmaTokenizer:
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    small_tokenizer().save(str(path))
    return GemmaTokenizer.read(path)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(AWKWARD, st.text(max_size=8)), max_size=8).map("".join))
def test_text_comes_back_byte_for_byte_and_holds_no_control_token(tokenizer: GemmaTokenizer, text: str) -> None:
    ids = tokenizer.encode(text)
    assert tokenizer.decode_bytes(ids) == text.encode()
    assert not tokenizer.control & set(ids)


def test_a_users_lower_one_eighth_block_is_not_a_space(tokenizer: GemmaTokenizer) -> None:
    assert tokenizer.decode(tokenizer.encode("▁x")) == "▁x"
    assert tokenizer.encode("▁x") != tokenizer.encode(" x")


def test_words_are_pieces_and_control_tokens_have_no_text(tokenizer: GemmaTokenizer) -> None:
    assert len(tokenizer.encode(" return")) == 1
    assert tokenizer.control == {tokenizer.id_of(name) for name in CONTROL}
    assert tokenizer.decode(tokenizer.control) == ""


def test_tokens_that_continue_a_text_are_found(tokenizer: GemmaTokenizer) -> None:
    names = {tokenizer.token_bytes[number] for number in tokenizer.continuing(b" ret")}
    assert names == {b" ", b" r", b" re", b" ret", b" retu", b" retur", b" return"}


@pytest.mark.parametrize("broken", ["{", '{"model": {}}'])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(broken)
    with pytest.raises(ModelError, match="is not a tokenizer"):
        GemmaTokenizer.read(path)


def test_a_tokenizer_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    small_tokenizer().save(str(path))
    saved = json.loads(path.read_text()) | {"normalizer": None}
    path.write_text(json.dumps(saved))
    with pytest.raises(ModelError, match="byte-fallback"):
        GemmaTokenizer.read(path)
