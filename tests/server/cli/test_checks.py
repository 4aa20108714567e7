"""Every finding of the doctor, good and bad."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from engine import hub
from server.cli import checks
from server.cli.checks import Verdict


def test_python() -> None:
    assert checks.check_python().verdict is Verdict.OK
    assert checks.check_python((3, 10, 4)).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("text", "verdict", "seen"),
    [
        ("processor: 0\nflags\t\t: fpu avx512_vnni avx512_bf16\n", Verdict.OK, "avx512_vnni, avx512_bf16"),
        ("Features\t: fp asimddp i8mm\n", Verdict.OK, "i8mm, asimddp"),
        ("flags\t\t: fpu sse2\n", Verdict.WARN, "no int8 or bf16"),
        ("nothing of that kind", Verdict.OK, "not told on this system"),
    ],
)
def test_processor(tmp_path: Path, text: str, verdict: Verdict, seen: str) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    finding = checks.check_processor(tmp_path / "cpuinfo")
    assert finding.verdict is verdict
    assert seen in finding.seen


@pytest.mark.parametrize(("kib", "verdict"), [(8_000_000, Verdict.OK), (800_000, Verdict.WARN)])
def test_memory(tmp_path: Path, kib: int, verdict: Verdict) -> None:
    (tmp_path / "meminfo").write_text(f"MemTotal: 9000000 kB\nMemAvailable:   {kib} kB\n")
    assert checks.check_memory(tmp_path / "meminfo").verdict is verdict


def test_memory_of_a_system_that_does_not_tell(tmp_path: Path) -> None:
    assert "not told" in checks.check_memory(tmp_path / "none").seen


def test_torch() -> None:
    assert checks.check_torch(lambda _: "2.13.0+cpu").verdict is Verdict.OK
    assert checks.check_torch(lambda _: "2.14.0").verdict is Verdict.WARN

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    assert checks.check_torch(missing).verdict is Verdict.FAIL


def test_threads() -> None:
    assert checks.check_threads({}).verdict is Verdict.OK
    assert checks.check_threads({"OMP_NUM_THREADS": "2"}).seen == "OMP_NUM_THREADS=2"
    assert checks.check_threads({"OMP_WAIT_POLICY": "active"}).verdict is Verdict.WARN


def test_cache_that_is_not_made_yet(tmp_path: Path) -> None:
    finding = checks.check_cache(tmp_path / "a" / "b")
    assert finding.verdict is Verdict.OK
    assert "GiB free" in finding.seen


def test_cache_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    finding = checks.check_cache(tmp_path / "file" / "a")
    assert finding.verdict is Verdict.FAIL
    assert "SFUMATO_HOME" in finding.advice


def place_of_model(store: hub.Hub, size: int) -> Path:
    path = store.path_of("embedded")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * size)
    return path


def test_a_model_that_is_not_here(tmp_path: Path) -> None:
    finding = checks.check_model("embedded", hub.Hub(tmp_path))
    assert finding.verdict is Verdict.WARN
    assert "sfumato models pull embedded-base" in finding.advice


def test_a_model_that_nobody_verified(tmp_path: Path) -> None:
    store = hub.Hub(tmp_path)
    place_of_model(store, 10)
    finding = checks.check_model("embedded", store)
    assert finding.verdict is Verdict.WARN
    assert "sfumato models verify" in finding.advice


def test_a_model_with_wrong_bytes(tmp_path: Path) -> None:
    store = hub.Hub(tmp_path)
    store.digest_of(place_of_model(store, 10))
    finding = checks.check_model("embedded", store)
    assert finding.verdict is Verdict.FAIL
    assert finding.advice == "sfumato models rm embedded-base && sfumato models pull embedded-base"


def test_a_model_nobody_knows(tmp_path: Path) -> None:
    finding = checks.check_model("gpt", hub.Hub(tmp_path))
    assert finding.verdict is Verdict.FAIL
    assert "gpt" in finding.seen


def test_a_model_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    assert checks.check_model(str(path), hub.Hub(tmp_path)).verdict is Verdict.FAIL
    path.write_bytes(b"GGUF")
    assert checks.check_model(str(path), hub.Hub(tmp_path)).verdict is Verdict.OK


def test_grammars() -> None:
    lines = {"python": "x = 1\n", "json": "{}\n"}
    assert checks.check_grammars(lines, lambda *_: 0).verdict is Verdict.OK
    finding = checks.check_grammars(lines, lambda language, _: 1 if language.id == "json" else 0)
    assert (finding.verdict, finding.seen) == (Verdict.FAIL, "not working: json")


def neovim(tmp_path: Path, script: str) -> str:
    path = tmp_path / "nvim"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("script", "verdict"),
    [
        ("echo NVIM v0.12.1", Verdict.OK),
        ("echo NVIM v0.11.4", Verdict.WARN),
        ("echo something else", Verdict.OK),
        ("exit 1", Verdict.OK),
    ],
)
def test_neovim(tmp_path: Path, script: str, verdict: Verdict) -> None:
    path = neovim(tmp_path, script)
    assert checks.check_editors({"nvim": path}.get).verdict is verdict


def test_other_editors() -> None:
    assert checks.check_editors({"code": "/bin/code"}.get).seen == "code at /bin/code"
    assert checks.check_editors({"nvim": "/no/such/nvim"}.get).verdict is Verdict.OK
    assert checks.check_editors({}.get).verdict is Verdict.WARN


def test_a_checkpoints_folder_and_a_name_of_the_hub(tmp_path: Path) -> None:
    store = hub.Hub(tmp_path)
    assert checks.check_model("owner/name", store).advice == "`sfumato models pull owner/name` fetches it"
    finding = checks.check_model(str(tmp_path), store)
    assert (finding.verdict, finding.seen.endswith("the path of a GGUF file")) == (Verdict.FAIL, True)
    (tmp_path / "config.json").write_text(
        '{"model_type": "diffusion_gemma", "quantization_config": {"quant_method": "fp8"}}'
    )
    (tmp_path / "model.safetensors").write_bytes(bytes(1 << 20))
    (tmp_path / "tokenizer.json").write_text("{}")
    finding = checks.check_model(str(tmp_path), store)
    assert finding.verdict is Verdict.OK
    assert finding.seen == f"{tmp_path}: diffusion_gemma, packed as fp8, 0.0 GiB of weights at {tmp_path}"
