"""From a name or a path to an engine: everything that cannot be loaded is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import engine
from engine.config import EngineConfig
from engine.errors import AdaptError, ConfigError, ModelError, UnknownModelError
from engine.models.load import free_threads, load_engine, return_free_memory
from engine.request import Progress

from .test_gguf import TENSORS, written


def test_an_unknown_name_says_what_is_known() -> None:
    with pytest.raises(
        UnknownModelError, match="no model named 'nope': use embedded, causal, base, the path of a GGUF"
    ):
        engine.open_engine(EngineConfig(model="nope"))


def test_how_a_canvas_is_denoised_is_no_setting_of_a_model_that_drafts() -> None:
    with pytest.raises(ConfigError, match="unmask says how a canvas is denoised, and embedded writes drafts"):
        load_engine(EngineConfig(unmask="klass"))


def test_a_run_without_an_adapter_yet() -> None:
    engine.adapt.open_runs().create_from("mine", engine.adapt.Recipe(), [], [])
    with pytest.raises(AdaptError, match="mine has no adapter yet"):
        engine.open_engine(EngineConfig(model="mine"))
    with pytest.raises(UnknownModelError, match="use embedded, causal, base, mine, the path of a GGUF file"):
        engine.open_engine(EngineConfig(model="nope"))


def test_a_folder_does_not_hide_a_model_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.adapt.open_runs().create_from("mine", engine.adapt.Recipe(), [], [])
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AdaptError, match="mine has no adapter yet"):
        engine.open_engine(EngineConfig(model="mine"))


def test_a_missing_file_is_no_model(tmp_path: Path) -> None:
    for path in (str(tmp_path / "missing.gguf"), "models/missing.gguf"):
        with pytest.raises(UnknownModelError, match="no model named"):
            load_engine(EngineConfig(model=path))


def test_a_folder_that_is_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"has no config\.json"):
        load_engine(EngineConfig(model=str(tmp_path)))


def test_compiling_is_for_a_gpu(tmp_path: Path) -> None:
    path = written(tmp_path / "a.gguf")
    with pytest.raises(ModelError, match="compiled is for a checkpoint on a GPU"):
        load_engine(EngineConfig(model=str(path), compiled=True))


def test_a_precision_that_the_model_has_not(tmp_path: Path) -> None:
    path = written(tmp_path / "a.gguf")
    with pytest.raises(ModelError, match=r"precision fp8 is not offered for .*a\.gguf: use"):
        load_engine(EngineConfig(model=str(path), precision="fp8"))


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    path.write_text("hello")
    with pytest.raises(ModelError, match=r"a\.gguf is not a readable GGUF file"):
        load_engine(EngineConfig(model=str(path)))


@pytest.mark.parametrize("precision", ["int8", "float32"])
def test_a_model_without_the_prompts_control_tokens(tmp_path: Path, precision: str) -> None:
    steps: list[Progress] = []
    path = written(tmp_path / "a.gguf")
    with pytest.raises(ModelError, match=r"has no control tokens \[151643, .*Qwen2\.5-Coder"):
        load_engine(EngineConfig(model=str(path), precision=precision), progress=steps.append)
    assert {step.stage for step in steps} >= {"load", "convert"}


def test_a_file_that_lacks_fields(tmp_path: Path) -> None:
    path = written(tmp_path / "a.gguf", tensors=dict(list(TENSORS.items())[:3]), leave_out=["block_count"])
    with pytest.raises(ModelError, match=r"has no 'qwen2\.block_count'"):
        load_engine(EngineConfig(model=str(path)))


@pytest.mark.parametrize("file", ["model.safetensors", "shape.json"])
def test_a_damaged_conversion_says_what_to_remove(tmp_path: Path, file: str) -> None:
    path = written(tmp_path / "a.gguf")
    with pytest.raises(ModelError, match="control tokens"):
        load_engine(EngineConfig(model=str(path)))
    [converted] = engine.hub.open_hub().home.rglob(file)
    converted.write_bytes(b"x" * converted.stat().st_size)
    with pytest.raises(ModelError, match=r"cannot be read .*; remove that folder"):
        load_engine(EngineConfig(model=str(path)))


def test_threads_are_few_and_at_least_one() -> None:
    assert 1 <= free_threads() <= 4


def test_giving_memory_back_never_fails() -> None:
    return_free_memory()
