"""A repository of the Hugging Face Hub as a folder, in that Hub's own cache: what other tools fetched is found.

Only top-level files of wanted names are fetched. huggingface-hub does it: accounts, resuming, and its own checksums.
"""

from __future__ import annotations

import io
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import ArtifactError, OfflineError, SfumatoError, StorageError, UnknownModelError
from ..request import ProgressSink
from .disk import NO_ROOM, explained
from .meter import Meter

_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*", re.ASCII)
_SUBFOLDERS = ("*/*",)


def is_repository(name: str) -> bool:
    """Whether a name reads as owner/name."""
    return _NAME.fullmatch(name) is not None


def kept_repositories(cache: Path | None = None) -> list[str]:
    """The names of what the Hub's cache holds, whole or not."""
    from huggingface_hub import CacheNotFound, scan_cache_dir

    try:
        return sorted(one.repo_id for one in scan_cache_dir(cache).repos if one.repo_type == "model")
    except (CacheNotFound, ValueError):
        return []


@dataclass(frozen=True, slots=True)
class Repository:
    """`wanted`: patterns of file names. `cache` None is where the Hub's tools keep theirs, `endpoint` None the Hub.

    What is asked of the Hub may raise `UnknownModelError`, `OfflineError`, `ArtifactError`, `StorageError`.
    """

    name: str
    wanted: tuple[str, ...]
    cache: Path | None = None
    endpoint: str | None = None

    def kept(self) -> Path | None:
        """The folder if all of it is here; nothing is asked of the Hub."""
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError

        try:
            return Path(
                snapshot_download(
                    self.name,
                    cache_dir=self.cache,
                    local_files_only=True,
                    allow_patterns=list(self.wanted),
                    ignore_patterns=list(_SUBFOLDERS),
                )
            )
        except LocalEntryNotFoundError:
            return None

    def files(self) -> Mapping[str, int]:
        """All files at the top by name, wanted or not, with their sizes in bytes; asks the Hub."""
        from huggingface_hub import snapshot_download

        with self._asking():
            listed = snapshot_download(
                self.name,
                cache_dir=self.cache,
                endpoint=self.endpoint,
                dry_run=True,
                ignore_patterns=list(_SUBFOLDERS),
                tqdm_class=_bars(lambda _: None),
            )
        return {file.filename: file.file_size or 0 for file in listed}

    def read(self, file: str) -> bytes:
        """A small file; it does not stay."""
        from huggingface_hub import hf_hub_download

        with self._asking(), TemporaryDirectory() as folder:
            return Path(hf_hub_download(self.name, file, local_dir=folder, endpoint=self.endpoint)).read_bytes()

    def fetch(self, files: Mapping[str, int], progress: ProgressSink | None = None) -> Path:
        """The folder with the wanted ones of these files in it. A `progress` that raises stops it."""
        from huggingface_hub import snapshot_download

        wanted = {name: size for name, size in files.items() if any(fnmatch(name, one) for one in self.wanted)}
        total = sum(wanted.values())
        self._check_room(total)
        with self._asking():
            folder = snapshot_download(
                self.name,
                cache_dir=self.cache,
                endpoint=self.endpoint,
                allow_patterns=list(wanted),
                max_workers=4,
                tqdm_class=_bars(Meter(progress, "download", total).at),
            )
        return Path(folder)

    def _check_room(self, needed: int) -> None:
        from huggingface_hub.constants import HF_HUB_CACHE

        cache = self.cache or Path(HF_HUB_CACHE)
        place = next(folder for folder in (cache, *cache.absolute().parents) if folder.exists())
        if (free := shutil.disk_usage(place).free) < needed:
            raise StorageError(
                f"{self.name} needs {needed / 1e9:.1f} GB of disk and {cache} has {free / 1e9:.1f} GB free; make room,"
                " or set HF_HOME to a folder on a larger disk"
            )

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Inside, what huggingface-hub raises leaves as one line of ours."""
        try:
            yield
        except _StoppedError as stopped:
            raise stopped.reason from None
        except Exception as error:  # the library raises those of several others
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> SfumatoError:
        from huggingface_hub.errors import DryRunError, GatedRepoError, HFValidationError, RepositoryNotFoundError

        if isinstance(error, DryRunError) and isinstance(error.__cause__, Exception):
            error = error.__cause__
        if isinstance(error, GatedRepoError):
            return ArtifactError(
                f"{self.name} is given after its terms are accepted: do so at https://huggingface.co/{self.name}, then"
                " run `hf auth login`"
            )
        if isinstance(error, (RepositoryNotFoundError, HFValidationError)):
            return UnknownModelError(
                f"the Hugging Face Hub shows no repository {self.name}; check the name, or run `hf auth login` if it is"
                " private"
            )
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return StorageError(explained(self.cache or Path(self.name), error))
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return OfflineError(
            f"{self.name} is not here, and the Hugging Face Hub cannot be reached ({lines[0]}); fetch it where there"
            " is a network, or give the path of its folder"
        )


class _StoppedError(Exception):
    """A progress sink raised."""

    def __init__(self, reason: Exception) -> None:
        super().__init__()
        self.reason = reason


def _bars(tell: Callable[[int], None]) -> type[Any]:
    """A silent progress bar class for huggingface-hub, which makes one for bytes received, written, and files."""
    from tqdm.auto import tqdm  # type: ignore[import-untyped] # huggingface-hub's own counts nothing once it is silenced

    turn = threading.Lock()
    most = 0

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **{**kwargs, "file": io.StringIO()})

        def update(self, n: float | None = 1) -> bool | None:
            nonlocal most
            drawn: bool | None = super().update(n)
            if self.unit == "B":
                with turn:
                    most = max(most, int(self.n))
                    try:
                        tell(most)
                    except Exception as reason:
                        raise _StoppedError(reason) from reason
            return drawn

    return Bar
