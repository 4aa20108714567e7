"""What `sfumato doctor` looks at. Each check takes what it reads as an argument and says one finding; none prints.

Knows the machine, the installation and the model's files; loads no model and does not import torch.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from engine import ModelError, UnknownModelError, find_checkpoint, hub, names_checkpoint

from ..languages import Language, language_of

_MIB = 1 << 20
NEEDED_MEMORY = 1500 * _MIB  # the embedded model, loaded, with room for a prompt
_TESTED_TORCH = "2.13.0"
_FAST = ("avx512_vnni", "avx_vnni", "avx512_bf16", "amx_int8", "i8mm", "asimddp")


class Verdict(StrEnum):
    """How a check went."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was seen, and what to do about it."""

    name: str
    verdict: Verdict
    seen: str
    advice: str = ""


def check_python(version_info: tuple[int, ...] = sys.version_info[:3]) -> Finding:
    """New enough."""
    seen = f"{'.'.join(map(str, version_info))} at {sys.executable}"
    if version_info < (3, 11):
        return Finding("python", Verdict.FAIL, seen, "Sfumato needs Python 3.11 or newer")
    return Finding("python", Verdict.OK, seen)


def check_processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> Finding:
    """Platform, cores that are ours, and instructions that make int8 fast."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    seen = f"{platform.system()} {platform.machine()}, {cores} core{'' if cores == 1 else 's'}"
    try:
        flags = set(re.findall(r"^(?:flags|Features)\s*: (.*)$", cpuinfo.read_text(), re.MULTILINE)[0].split())
    except (OSError, IndexError):
        return Finding("processor", Verdict.OK, f"{seen}; its instructions are not told on this system")
    fast = [name for name in _FAST if name in flags]
    if not fast:
        return Finding("processor", Verdict.WARN, f"{seen}; no int8 or bf16 instructions", "it works, but slower")
    return Finding("processor", Verdict.OK, f"{seen}; {', '.join(fast)}")


def check_memory(meminfo: Path = Path("/proc/meminfo")) -> Finding:
    """Enough for the model."""
    try:
        available = int(re.findall(r"^MemAvailable:\s+(\d+) kB$", meminfo.read_text(), re.MULTILINE)[0]) * 1024
    except (OSError, IndexError):
        return Finding("memory", Verdict.OK, "how much is free is not told on this system")
    seen = f"{_gib(available)} free"
    if available < NEEDED_MEMORY:
        return Finding("memory", Verdict.WARN, seen, f"the embedded model wants {_gib(NEEDED_MEMORY)}; close something")
    return Finding("memory", Verdict.OK, seen)


def check_torch(version_of: Callable[[str], str] = version) -> Finding:
    """The build that was tested."""
    try:
        build = version_of("torch")
    except PackageNotFoundError:
        return Finding("torch", Verdict.FAIL, "not installed", f"install torch {_TESTED_TORCH}; `make env` does")
    if build.partition("+")[0] != _TESTED_TORCH:
        advice = f"Sfumato was measured on {_TESTED_TORCH}; others may be slower or fail"
        return Finding("torch", Verdict.WARN, build, advice)
    return Finding("torch", Verdict.OK, build)


def check_threads(environ: Mapping[str, str] = os.environ) -> Finding:
    """OpenMP settings that fight with other programs."""
    names = ("OMP_WAIT_POLICY", "OMP_NUM_THREADS", "KMP_BLOCKTIME", "GOMP_SPINCOUNT")
    found = {name: environ[name] for name in names if name in environ}
    seen = ", ".join(f"{name}={value}" for name, value in found.items()) or "no OMP variable set; the engine chooses"
    if found.get("OMP_WAIT_POLICY", "").upper() == "ACTIVE":
        return Finding("threads", Verdict.WARN, seen, "waiting threads spin and starve others; unset OMP_WAIT_POLICY")
    return Finding("threads", Verdict.OK, seen)


def check_cache(home: Path) -> Finding:
    """Writable, with room for what is still to come."""
    place = home
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    seen = f"{home}, {_gib(free)} free"
    if not os.access(place, os.W_OK | os.X_OK):
        advice = "give yourself write permission, or name another folder with SFUMATO_HOME"
        return Finding("cache", Verdict.FAIL, f"{seen}, not writable", advice)
    return Finding("cache", Verdict.OK, seen)


def check_model(model: str, store: hub.Hub) -> Finding:
    """Known, here, and what its digest says."""
    if names_checkpoint(model):
        return _check_checkpoint(model)
    if model.endswith(".gguf"):
        if Path(model).is_file():
            return Finding("model", Verdict.OK, f"{model}, a file of your own")
        return Finding("model", Verdict.FAIL, f"{model} is not there", "check the path")
    try:
        status = store.status(model)
    except UnknownModelError as error:
        return Finding("model", Verdict.FAIL, str(error), "see `sfumato models list`")
    artifact = status.artifact
    pull = f"`sfumato models pull {artifact.name}` fetches it; the first use does too"
    seen = f"{model}: {artifact.name} {status.state.value} at {status.path}"
    match status.state:
        case hub.State.READY:
            return Finding("model", Verdict.OK, seen)
        case hub.State.DAMAGED:
            again = f"sfumato models rm {artifact.name} && sfumato models pull {artifact.name}"
            return Finding("model", Verdict.FAIL, seen, again)
        case hub.State.UNVERIFIED:
            return Finding("model", Verdict.WARN, seen, f"`sfumato models verify {artifact.name}` compares its digest")
        case hub.State.PARTIAL | hub.State.MISSING:
            missing = artifact.size - status.held
            free = shutil.disk_usage(next(parent for parent in status.path.parents if parent.exists())).free
            if free < missing:
                return Finding("model", Verdict.FAIL, seen, f"free {_gib(missing)} of disk; there is {_gib(free)}")
            return Finding("model", Verdict.WARN, seen, pull)


def _check_checkpoint(model: str) -> Finding:
    """A folder, or a repository of the Hugging Face Hub."""
    try:
        found = find_checkpoint(model)
    except ModelError as error:
        return Finding("model", Verdict.FAIL, str(error), "see docs/models.md")
    if found is None:
        return Finding("model", Verdict.WARN, f"{model} is not here", f"`sfumato models pull {model}` fetches it")
    packed = f", packed as {found.quantized}" if found.quantized else ""
    seen = f"{model}: {found.family}{packed}, {_gib(found.size)} of weights at {found.folder}"
    return Finding("model", Verdict.OK, seen)


def check_grammars(lines: Mapping[str, str], errors_in: Callable[[Language, str], int | None]) -> Finding:
    """Every grammar parses a line of its own language. `lines`: languageId -> such a line."""
    broken = [language for language, line in lines.items() if errors_in(language_of(language), line) != 0]
    if broken:
        advice = "install Sfumato again; until then nothing is checked in these languages"
        return Finding("grammars", Verdict.FAIL, f"not working: {', '.join(broken)}", advice)
    return Finding("grammars", Verdict.OK, f"{len(lines)} languages")


def check_editors(which: Callable[[str], str | None] = shutil.which) -> Finding:
    """An editor that shows ghost text."""
    found: list[str] = []
    if nvim := which("nvim"):
        number = _neovim_version(nvim)
        if number is not None and number < (0, 12):
            advice = "ghost text is built in from Neovim 0.12 on"
            return Finding("editors", Verdict.WARN, f"nvim {number[0]}.{number[1]} at {nvim}", advice)
        found.append(f"nvim at {nvim}")
    found += [f"{name} at {path}" for name in ("code", "codium") if (path := which(name))]
    if not found:
        return Finding(
            "editors", Verdict.WARN, "neither nvim nor code on PATH", "any LSP client starts `sfumato serve`"
        )
    return Finding("editors", Verdict.OK, ", ".join(found))


def _neovim_version(path: str) -> tuple[int, int] | None:
    """Major and minor; None when it does not say."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=5, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(r"NVIM v(\d+)\.(\d+)", said)
    return (int(match[1]), int(match[2])) if match else None


def _gib(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB"
