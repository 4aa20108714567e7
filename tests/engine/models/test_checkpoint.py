"""What a folder must have to be a checkpoint, and the line that says what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.models.checkpoint import find_checkpoint, kept_checkpoints, names_checkpoint, read_checkpoint


def folder(path: Path, config: object = None, **files: str) -> Path:
    """A folder with a config and empty files by name, `_` standing for a dot."""
    (path / "config.json").write_text(json.dumps({"model_type": "diffusion_gemma"} if config is None else config))
    for name, text in {"tokenizer_json": "{}", **files}.items():
        (path / name.replace("_", ".")).write_text(text)
    return path


def test_what_is_there_is_told(tmp_path: Path) -> None:
    config = {"model_type": "diffusion_gemma", "quantization_config": {"quant_method": "fp8"}}
    found = read_checkpoint(folder(tmp_path, config, model_safetensors="12345"))
    assert (found.family, found.size, found.quantized) == ("diffusion_gemma", 5, "fp8")


def test_a_folder_without_a_config(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"has no config\.json; give the folder of a checkpoint"):
        read_checkpoint(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_config_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ModelError, match=r"config\.json cannot be read"):
        read_checkpoint(tmp_path)


@pytest.mark.parametrize("config", [{"model_type": "llada2_moe"}, {}])
def test_an_unknown_architecture_is_told_what_is_known(tmp_path: Path, config: dict[str, str]) -> None:
    with pytest.raises(ModelError, match="which is not known; known: diffusion_gemma; qwen2 as a GGUF file"):
        read_checkpoint(folder(tmp_path, config, model_safetensors=""))


@pytest.mark.parametrize("name", ["pytorch_model_bin", "model_pt", "model_ckpt"])
def test_pickled_weights_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match=r"a format that can run code when it is read; use a checkpoint with safeten"):
        read_checkpoint(folder(tmp_path, **{name: "x"}))


def test_a_folder_without_weights(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has no weights"):
        read_checkpoint(folder(tmp_path))


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    index = json.dumps({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}})
    (folder(tmp_path, one_safetensors="") / "model.safetensors.index.json").write_text(index)
    with pytest.raises(ModelError, match=r"lacks two\.safetensors"):
        read_checkpoint(tmp_path)


@pytest.mark.parametrize("part", ["../one.safetensors", "/etc/one.safetensors", "code.py"])
def test_an_index_names_files_of_its_folder_only(tmp_path: Path, part: str) -> None:
    index = json.dumps({"weight_map": {"a": part}})
    (folder(tmp_path, one_safetensors="") / "model.safetensors.index.json").write_text(index)
    with pytest.raises(ModelError, match="which is no safetensors file of this folder"):
        read_checkpoint(tmp_path)


def test_a_folder_without_a_tokenizer(tmp_path: Path) -> None:
    (folder(tmp_path, model_safetensors="") / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"has no tokenizer\.json"):
        read_checkpoint(tmp_path)


def test_the_chat_template_stands_beside_or_in_the_tokenizers_config(tmp_path: Path) -> None:
    found = read_checkpoint(folder(tmp_path, model_safetensors=""))
    with pytest.raises(ModelError, match="has no chat template"):
        _ = found.chat_template
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": "within"}')
    assert found.chat_template == "within"
    (tmp_path / "chat_template.jinja").write_text("beside")
    assert found.chat_template == "beside"


def test_names_that_stand_for_a_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_text("")
    assert names_checkpoint(str(tmp_path))
    assert names_checkpoint("google/diffusiongemma-26B-A4B-it")
    assert not any(map(names_checkpoint, ("embedded", str(tmp_path / "a.gguf"), "models/a.gguf", "~/nothing")))


def test_what_the_hubs_cache_holds_of_a_known_family(tmp_path: Path) -> None:
    """As huggingface-hub lays it out; one of another family, one half fetched."""
    for name, config in (("known", None), ("other", {"model_type": "bert"}), ("half", None)):
        root = tmp_path / f"models--owner--{name}"
        (root / "refs").mkdir(parents=True)
        (root / "refs" / "main").write_text("0" * 40)
        (root / "snapshots" / ("0" * 40)).mkdir(parents=True)
        weights = {} if name == "half" else {"model_safetensors": "12"}
        folder(root / "snapshots" / ("0" * 40), config, **weights)
    assert list(kept_checkpoints(tmp_path)) == ["owner/known"]
    found = find_checkpoint("owner/known", tmp_path)
    assert found is not None
    assert found.size == 2
    assert find_checkpoint("owner/none", tmp_path) is None
    assert find_checkpoint("embedded", tmp_path) is None
    assert kept_checkpoints(tmp_path / "none") == {}
