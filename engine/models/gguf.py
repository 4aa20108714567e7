"""A GGUF file read once: its tensors dequantised, its tokenizer and its shape taken out. Knows only Qwen2 bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from ..errors import ModelError
from ..kernels.int8 import quantize_rows
from ..request import Progress, ProgressSink
from ..tokenizer import build_bpe, control_tokens

INT8_RECIPE = "qwen2-int8-rows-2"  # changes whenever what is written below does
_KNOWN = ("qwen2",)


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a Qwen2 body."""

    layers: int
    width: int
    inner: int
    heads: int
    kv_heads: int
    vocabulary: int
    rope_base: float
    rms_epsilon: float
    control: tuple[int, ...]

    @property
    def head_width(self) -> int:
        """Columns of one attention head."""
        return self.width // self.heads


class GgufFile:
    """An opened GGUF file. Raises `ModelError` for a file that is none, or of another architecture."""

    def __init__(self, path: Path) -> None:
        try:
            self._reader = GGUFReader(path)
        except Exception as error:  # the reader raises whatever its parsing trips over
            raise ModelError(f"{path} is not a readable GGUF file: {error}") from error
        architecture = self._field("general.architecture")
        if architecture not in _KNOWN:
            raise ModelError(f"{path} holds a {architecture!r} model; known architectures: {', '.join(_KNOWN)}")

    def _field(self, name: str) -> Any:
        field = self._reader.get_field(name)
        if field is None:
            raise ModelError(f"the GGUF file has no {name!r}")
        return field.contents()

    @property
    def shape(self) -> Shape:
        """Sizes and control tokens."""
        return Shape(
            layers=int(self._field("qwen2.block_count")),
            width=int(self._field("qwen2.embedding_length")),
            inner=int(self._field("qwen2.feed_forward_length")),
            heads=int(self._field("qwen2.attention.head_count")),
            kv_heads=int(self._field("qwen2.attention.head_count_kv")),
            vocabulary=len(self._field("tokenizer.ggml.tokens")),
            rope_base=float(self._field("qwen2.rope.freq_base")),
            rms_epsilon=float(self._field("qwen2.attention.layer_norm_rms_epsilon")),
            control=tuple(sorted(control_tokens(self._field("tokenizer.ggml.token_type")))),
        )

    def save_tokenizer(self, path: Path) -> None:
        """Write the tokenizer as a `tokenizer.json`. Raises `OSError`, which the library's own saving does not."""
        bpe = build_bpe(self._field("tokenizer.ggml.tokens"), self._field("tokenizer.ggml.merges"))
        path.write_text(bpe.to_str(), "utf-8")

    def tensors(self) -> Iterator[tuple[str, Tensor]]:
        """Names and fp32 tensors, matrices as (out, in), one at a time; a head tied to the embedding on its own too."""
        tied = all(entry.name != "output.weight" for entry in self._reader.tensors)
        for entry in self._reader.tensors:
            tensor = torch.from_numpy(np.array(dequantize(entry.data, entry.tensor_type), dtype=np.float32))
            yield entry.name, tensor
            if tied and entry.name == "token_embd.weight":
                yield "output.weight", tensor

    def __len__(self) -> int:
        return len(self._reader.tensors)


def convert_to_int8(source: Path, folder: Path, progress: ProgressSink) -> None:
    """Write `model.safetensors` (matrices as int8 rows and scales), `tokenizer.json` and `shape.json` into `folder`.

    The token embedding is looked up, never multiplied: it is kept in fp16 in a file of its own, which stays mapped, so
    that only the rows that are used take memory, once for all servers. Raises `ModelError`, `OSError`.
    """
    gguf = GgufFile(source)
    tensors: dict[str, Tensor] = {}
    embedding: dict[str, Tensor] = {}
    for done, (name, tensor) in enumerate(gguf.tensors()):
        if name == "token_embd.weight":
            embedding[name] = tensor.half()
        elif tensor.dim() == 2:
            tensors[f"{name}.codes"], tensors[f"{name}.scale"] = quantize_rows(tensor)
        else:
            tensors[name] = tensor
        progress(Progress("convert", done + 1, len(gguf)))
    gguf.save_tokenizer(folder / "tokenizer.json")
    (folder / "shape.json").write_text(json.dumps(asdict(gguf.shape)), "utf-8")
    try:
        save_file(tensors, folder / "model.safetensors")
        save_file(embedding, folder / "embedding.safetensors")
    except SafetensorError as error:
        raise OSError(f"writing into {folder}: {error}") from error


def load_shape(path: Path) -> Shape:
    """Read a `shape.json`."""
    values = json.loads(path.read_text("utf-8"))
    return Shape(**{**values, "control": tuple(values["control"])})
