"""Adapters in PEFT's format: written, read back, and every fault named."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

import engine
from engine.errors import ModelError
from engine.models.adapters import ADAPTED, MASK_EMBEDDING, PREFIX, load_adapter
from engine.models.load import ADAPTERS, WEIGHTS

CONFIG = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "base_sha256": "abc"}
SHIPPED = {
    "denoiser": "99ee71b6ab99423290d1dec2d63363461dfff2796b9cd57627aa68b4111f2c48",
    "infiller": "52dadcae3a8733d959f49c1709a35baa88a703081d2338a1a40f8e6a870f8d93",
}
BASE = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"


def tensors(layers: int = 2, rank: int = 4) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return {
        f"{PREFIX}.layers.{layer}.{module}.lora_{side}.weight": torch.randn(size, generator=generator).bfloat16()
        for layer in range(layers)
        for module in ADAPTED.values()
        for side, size in (("A", (rank, 6)), ("B", (5, rank)))
    }


def write(folder: Path, config: object = CONFIG, weights: dict[str, torch.Tensor] | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps(config))
    save_file(tensors() if weights is None else weights, folder / "adapter_model.safetensors")
    return folder


def test_it_is_read_as_peft_writes_it(tmp_path: Path) -> None:
    """PEFT's forward is W x + alpha / r * B A x."""
    written = tensors()
    low_rank = load_adapter(write(tmp_path, weights=written))
    assert (low_rank.rank, low_rank.base_sha256, low_rank.mask) == (4, "abc", None)
    assert set(low_rank.down) == set(low_rank.up) == {(layer, key) for layer in range(2) for key in ADAPTED}
    x = torch.randn(3, 6)
    for (layer, key), down in low_rank.down.items():
        a, b = (written[f"{PREFIX}.layers.{layer}.{ADAPTED[key]}.lora_{side}.weight"].float() for side in "AB")
        torch.testing.assert_close(x @ down.T @ low_rank.up[layer, key].T, 2 * (x @ a.T) @ b.T)


def test_a_mask_embedding_comes_along(tmp_path: Path) -> None:
    low_rank = load_adapter(write(tmp_path, weights={**tensors(), MASK_EMBEDDING: torch.ones(6).bfloat16()}))
    assert low_rank.mask is not None
    assert low_rank.mask.dtype is torch.float32
    assert torch.equal(low_rank.mask, torch.ones(6))


def without(name: str) -> dict[str, object]:
    return {key: value for key, value in CONFIG.items() if key != name}


@pytest.mark.parametrize(
    "config",
    [without("r"), without("lora_alpha"), {**CONFIG, "r": "many"}, {**CONFIG, "r": None}, {**CONFIG, "r": 0}, []],
)
def test_a_config_that_says_too_little(tmp_path: Path, config: object) -> None:
    with pytest.raises(ModelError, match=f"the adapter in {tmp_path} cannot be read"):
        load_adapter(write(tmp_path, config))


@pytest.mark.parametrize(
    "weights",
    [
        {},
        {"lora.layers.weight": torch.zeros(1)},
        {name: value for name, value in tensors().items() if "1.mlp.up_proj.lora_B" not in name},
        tensors(rank=3),
    ],
)
def test_weights_that_are_not_those_of_the_config(tmp_path: Path, weights: dict[str, torch.Tensor]) -> None:
    with pytest.raises(ModelError, match=f"the adapter in {tmp_path} cannot be read"):
        load_adapter(write(tmp_path, weights=weights))


@pytest.mark.parametrize("file", ["adapter_config.json", "adapter_model.safetensors"])
def test_a_file_that_is_broken_or_not_there(tmp_path: Path, file: str) -> None:
    folder = write(tmp_path)
    (folder / file).write_bytes(b"\xff not it")
    with pytest.raises(ModelError, match="cannot be read"):
        load_adapter(folder)
    (folder / file).unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        load_adapter(folder)


@pytest.mark.parametrize(("name", "digest"), SHIPPED.items())
def test_the_shipped_adapters_are_these(name: str, digest: str) -> None:
    assert hashlib.sha256((WEIGHTS / name / "adapter_model.safetensors").read_bytes()).hexdigest() == digest
    low_rank = load_adapter(WEIGHTS / name)
    assert (low_rank.rank, low_rank.base_sha256) == (32, BASE)
    assert (low_rank.mask is not None) == (name == "denoiser")
    assert len(low_rank.down) == 24 * len(ADAPTED)
    assert low_rank.down[23, "down"].shape == (32, 4864)
    assert digest in (WEIGHTS / "README.md").read_text("utf-8")


def test_the_shipped_adapters_are_for_the_base_that_is_fetched() -> None:
    assert {name for names in ADAPTERS.values() for name in names} == set(SHIPPED)
    assert engine.hub.open_hub().artifact("embedded").sha256 == BASE
