"""A folder as the Hugging Face Hub publishes models: what is in it, checked before any weight is read.

Data only: weights are safetensors, and code that lies beside them is neither run nor imported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..hub.repository import Repository, is_repository, kept_repositories

FAMILIES = ("diffusion_gemma",)
INDEX = "model.safetensors.index.json"
TOKENIZER = "tokenizer.json"
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
# What a checkpoint is loaded from; nothing else of a repository is fetched.
WANTED = (
    "*.safetensors",
    INDEX,
    "config.json",
    "generation_config.json",
    TOKENIZER,
    "tokenizer_config.json",
    "chat_template.jinja",
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`size` in bytes of the weights; `quantized`: how its own weights are packed, "" if they are plain."""

    folder: Path
    family: str
    config: Mapping[str, Any]
    size: int
    quantized: str

    @property
    def chat_template(self) -> str:
        """The text of its jinja template. Raises `ModelError` if it has none."""
        beside = self.folder / "chat_template.jinja"
        if beside.is_file():
            return beside.read_text("utf-8")
        template = self.tokenizer_config.get("chat_template")
        if not isinstance(template, str):
            raise ModelError(f"{self.folder} has no chat template; use an instruction-tuned checkpoint")
        return template

    @property
    def tokenizer_config(self) -> Mapping[str, Any]:
        """Names of special tokens; empty if it is not told."""
        path = self.folder / "tokenizer_config.json"
        return _json(path) if path.is_file() else {}


def names_checkpoint(model: str) -> bool:
    """Whether a model's name is a folder, or reads as owner/name on the Hub."""
    path = Path(model).expanduser()
    return path.is_dir() or (is_repository(model) and not path.exists() and path.suffix != ".gguf")


def find_checkpoint(model: str, cache: Path | None = None) -> Checkpoint | None:
    """The checkpoint that a name stands for, if it is here; nothing is asked of the Hub. Raises `ModelError`."""
    path = Path(model).expanduser()
    if path.is_dir():
        return read_checkpoint(path)
    kept = Repository(model, WANTED, cache).kept() if names_checkpoint(model) else None
    return read_checkpoint(kept) if kept else None


def kept_checkpoints(cache: Path | None = None) -> dict[str, Checkpoint]:
    """Those of a known family in the Hub's cache, by their names there."""
    found: dict[str, Checkpoint] = {}
    for name in kept_repositories(cache):
        with suppress(ModelError):  # of another family, or no model at all
            if checkpoint := find_checkpoint(name, cache):
                found[name] = checkpoint
    return found


def read_checkpoint(folder: Path) -> Checkpoint:
    """Raises `ModelError` for what is missing, of a family that is not known, or not plain data."""
    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder} has no config.json; give the folder of a checkpoint, or the path of a GGUF file")
    config = _json(folder / "config.json")
    family = family_of(config, str(folder))
    size = sum(path.stat().st_size for path in _weights(folder))
    if not (folder / TOKENIZER).is_file():
        raise ModelError(f"{folder} has no {TOKENIZER}; fetch it from where the weights came from")
    return Checkpoint(folder, family, config, size, quantized_as(config))


def family_of(config: Mapping[str, Any], where: str) -> str:
    """The architecture that a config names. Raises `ModelError` with those that are known."""
    family = config.get("model_type")
    if family not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise ModelError(
            f"{where} is of the architecture {family!r}, which is not known; known: {known}; qwen2 as a GGUF file"
        )
    return str(family)


def quantized_as(config: Mapping[str, Any]) -> str:
    """The name of the method that a config's weights are packed with; "" if they are plain."""
    return str((config.get("quantization_config") or {}).get("quant_method") or "")


def check_names(names: list[str], where: str) -> None:
    """Raise `ModelError` unless the weights among a checkpoint's file names are safetensors."""
    if any(name.endswith(".safetensors") for name in names):
        return
    if pickles := sorted(name for name in names if name.endswith(PICKLES)):
        raise ModelError(
            f"{where} has its weights as {pickles[0]}, a format that can run code when it is read; use a checkpoint"
            " with safetensors"
        )
    raise ModelError(f"{where} has no weights (*.safetensors)")


def _weights(folder: Path) -> list[Path]:
    """The files that hold the weights, all there."""
    check_names([path.name for path in folder.iterdir()], str(folder))
    index = folder / INDEX
    if not index.is_file():
        return sorted(folder.glob("*.safetensors"))
    parts = sorted(set((_json(index).get("weight_map") or {}).values()))
    for part in parts:
        if Path(part).name != part or not part.endswith(".safetensors"):
            raise ModelError(f"{index} names {part!r}, which is no safetensors file of this folder")
        if not (folder / part).is_file():
            raise ModelError(f"{folder} lacks {part}; fetch it from where the other parts came from")
    return [folder / part for part in parts]


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise ModelError(f"{path} cannot be read: it holds no JSON object")
    return value
