"""GGUF files: dequantised, converted once, and refused in one line when they are not what they should be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from engine.errors import ModelError
from engine.models.gguf import GgufFile, convert_to_int8, load_shape
from engine.request import Progress
from engine.tokenizer import Tokenizer

from .tiny_qwen import SHAPE, gguf_tensors, reference, write_gguf

TOKENS = [*"abcdefghij", "ab", *(f"<{number}>" for number in range(11, SHAPE.vocabulary))]
MERGES = ["a b"]
TENSORS = gguf_tensors(reference())
FIELDS = [
    "block_count",
    "embedding_length",
    "feed_forward_length",
    "head_count",
    "head_count_kv",
    "freq_base",
    "layer_norm_rms_epsilon",
    "tokens",
    "token_type",
]


def written(path: Path, **how: object) -> Path:
    write_gguf(path, how.pop("tensors", TENSORS), tokens=TOKENS, merges=MERGES, **how)  # type: ignore[arg-type]
    return path


def test_shape_and_tensors_are_read(tmp_path: Path) -> None:
    gguf = GgufFile(written(tmp_path / "a.gguf"))
    assert gguf.shape == SHAPE
    read = dict(gguf.tensors())
    assert read.keys() == TENSORS.keys()
    for name, tensor in TENSORS.items():
        torch.testing.assert_close(read[name], tensor, atol=0, rtol=0)


def test_packed_tensors_are_dequantised(tmp_path: Path) -> None:
    name = "blk.1.ffn_gate.weight"
    read = dict(GgufFile(written(tmp_path / "a.gguf", packed=[name])).tensors())[name]
    assert read.shape == TENSORS[name].shape
    assert 0 < (read - TENSORS[name]).abs().max() < 0.01 * TENSORS[name].abs().max()


def test_a_tied_head_is_the_embedding(tmp_path: Path) -> None:
    tied = {name: tensor for name, tensor in TENSORS.items() if name != "output.weight"}
    read = dict(GgufFile(written(tmp_path / "a.gguf", tensors=tied)).tensors())
    assert torch.equal(read["output.weight"], TENSORS["token_embd.weight"])


def test_it_is_converted_to_int8_rows(tmp_path: Path) -> None:
    steps: list[Progress] = []
    convert_to_int8(written(tmp_path / "a.gguf"), tmp_path, steps.append)
    tensors = load_file(tmp_path / "model.safetensors") | load_file(tmp_path / "embedding.safetensors")
    for name, tensor in TENSORS.items():
        if name == "token_embd.weight":
            assert torch.equal(tensors[name], tensor.half())
        elif tensor.dim() == 1:
            assert torch.equal(tensors[name], tensor)
        else:
            codes, scale = tensors[f"{name}.codes"], tensors[f"{name}.scale"]
            assert (codes * scale[:, None] - tensor).abs().max() <= 0.51 * scale.max()
    assert load_shape(tmp_path / "shape.json") == SHAPE
    tokenizer = Tokenizer.load(tmp_path / "tokenizer.json", frozenset(SHAPE.control))
    assert tokenizer.encode("abc") == [10, 2]
    assert tokenizer.decode([10, 300, 2]) == "abc"
    assert {step.stage for step in steps} == {"convert"}
    assert [step.done for step in steps] == list(range(1, len(TENSORS) + 1))
    assert {step.total for step in steps} == {len(TENSORS)}


@pytest.mark.parametrize("content", [b"", b"GGUF", b"not a model at all", b"GGUF" + b"\xff" * 200])
def test_a_file_that_is_no_gguf(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"a\.gguf is not a readable GGUF file"):
        GgufFile(path)


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    path = written(tmp_path / "a.gguf")
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(ModelError, match="not a readable GGUF file"):
        GgufFile(path)


def test_another_architecture_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds a 'llama' model; known architectures: qwen2"):
        GgufFile(written(tmp_path / "a.gguf", architecture="llama"))


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_is_missing_is_named(tmp_path: Path, field: str) -> None:
    gguf = GgufFile(written(tmp_path / "a.gguf", leave_out=[field]))
    with pytest.raises(ModelError, match=f"the GGUF file has no '[a-z0-9_.]*{field}'"):
        _ = gguf.shape


def test_missing_merges_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"the GGUF file has no 'tokenizer\.ggml\.merges'"):
        GgufFile(written(tmp_path / "a.gguf", leave_out=["merges"])).save_tokenizer(tmp_path / "tokenizer.json")


def test_a_folder_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    """The hub tells it as a full disk or a missing permission."""
    with pytest.raises(OSError, match="nowhere"):
        convert_to_int8(written(tmp_path / "a.gguf"), tmp_path / "nowhere", lambda _: None)


def test_a_shape_is_the_same_after_json(tmp_path: Path) -> None:
    convert_to_int8(written(tmp_path / "a.gguf"), tmp_path, lambda _: None)
    assert json.loads((tmp_path / "shape.json").read_text())["control"] == [300, 301]
