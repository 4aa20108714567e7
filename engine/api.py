"""The shape of an engine: what the server, the command line and the benchmarks call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from .cancel import CancelToken
from .config import EngineConfig
from .request import InfillRequest, InfillResult, ProgressSink, RewriteRequest, RewriteResult, SyntaxCheck


class Engine(Protocol):
    """One loaded model. Not for several threads at once: a caller runs one request at a time."""

    @property
    def info(self) -> Mapping[str, str]:
        """For people: model, family, digest, device, precision, threads."""

    def infill(
        self,
        request: InfillRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> InfillResult:
        """Fill the holes. Raises `Cancelled`, `RequestError`."""

    def rewrite(
        self,
        request: RewriteRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> RewriteResult:
        """Rewrite the selection. Raises `Cancelled`, `RequestError`."""


def fetch_checkpoint(model: str, *, progress: ProgressSink | None = None) -> Path:
    """The folder of a checkpoint named owner/name, fetched from the Hugging Face Hub if it is not here.

    What cannot be used or would not fit here is refused before it is fetched; torch is imported for that. Raises
    `ModelError`, `ArtifactError`, `UnknownModelError`.
    """
    from .models.published import find

    return find(EngineConfig(model), progress or (lambda _: None)).folder


def open_engine(config: EngineConfig | None = None, *, progress: ProgressSink | None = None) -> Engine:
    """Fetch, verify, convert and load the model; torch is imported here and not before.

    Raises `ConfigError`, `UnknownModelError`, `ModelError`, `ArtifactError`.
    """
    from .models.load import load_engine

    return load_engine(config or EngineConfig(), progress=progress)
