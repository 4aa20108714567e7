"""A process of its own for the hub's tests: `fetch ENDPOINT`, `build SECONDS`, or `fetch-limited ENDPOINT BYTES`.

It fetches `hub_fakes.DATA`; the Hugging Face place takes its address from `HF_ENDPOINT` when ENDPOINT is `env`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from engine import SfumatoError
from engine.hub import Hub
from engine.hub.disk import home
from engine.hub.huggingface import HuggingFace
from tests.engine.hub_fakes import artifact


def _fetch(endpoint: str) -> None:
    place = HuggingFace("owner/repo", "tiny.bin", endpoint=None if endpoint == "env" else endpoint)
    hub = Hub(home(), (artifact(place),))
    print(hub.fetch("tiny-base", lambda progress: print(progress.text) if progress.text else None))


def _limit(size: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _build(seconds: float) -> None:
    def build(folder: Path) -> None:
        print("building", flush=True)
        (folder / "half").write_bytes(b"h")
        time.sleep(seconds)
        (folder / "whole").write_bytes(b"w")

    print(Hub(home()).derived("ab" * 32, "slow-v1", build))


def main() -> int:
    match sys.argv[1:]:
        case ["fetch", endpoint]:
            _fetch(endpoint)
        case ["fetch-limited", endpoint, size]:
            _limit(int(size))
            _fetch(endpoint)
        case ["build", seconds]:
            _build(float(seconds))
        case _:
            return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SfumatoError as error:
        print(f"{type(error).__name__}: {error}")
        sys.exit(1)
