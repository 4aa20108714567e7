"""The Hugging Face Hub as a place: one file over HTTP, taken up again where it broke off. Never checks digests."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from queue import Empty, Queue
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from .artifact import PlaceError
from .disk import appending, held
from .meter import Meter

_CHUNK = 1 << 18
_RETRIES = 3
_RETRY_SECONDS = 0.5
_STALL_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class HuggingFace:
    """`endpoint` None means the Hub, or what `HF_ENDPOINT` says. `patience`: seconds until the first answer."""

    repo: str
    file: str
    endpoint: str | None = None
    patience: float = 4.0

    @property
    def label(self) -> str:
        return "the Hugging Face Hub"

    def extend(self, part: Path, meter: Meter) -> None:
        """As `Place.extend`. A transfer that breaks is taken up again while each try brings bytes."""
        from huggingface_hub import hf_hub_url  # 0.2 s that a start with the file in place does not pay

        url = hf_hub_url(self.repo, self.file, endpoint=self.endpoint)
        reached = False
        idle = 0
        while (before := held(part)) < meter.total:
            try:
                self._transfer(url, part, meter)
            except _BrokenError as error:
                moved = held(part) > before
                reached = reached or moved
                idle = 0 if moved else idle + 1
                if not reached or idle > _RETRIES:
                    raise PlaceError(str(error)) from error
                time.sleep(_RETRY_SECONDS)

    def _transfer(self, url: str, part: Path, meter: Meter) -> None:
        done, size = held(part), meter.total
        with _opened(_request(url, done), self.patience) as response:
            if response.status != HTTPStatus.PARTIAL_CONTENT:
                done = 0  # it does not resume: what comes is the whole file
            if response.length is not None and done + response.length != size:
                raise PlaceError(f"offers {done + response.length:,} bytes where {size:,} are expected")
            with appending(part, done) as write:
                while done < size:
                    chunk = _read(response, min(_CHUNK, size - done))
                    write(chunk)
                    done += len(chunk)
                    meter.at(done)


class _BrokenError(Exception):
    """A transfer that stopped before its end."""


def _request(url: str, start: int) -> Request:
    if not url.startswith(("http://", "https://")):
        raise PlaceError(f"has no http address ({url})")
    headers = {"User-Agent": "sfumato", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    return Request(url, headers=headers)


def _opened(request: Request, patience: float) -> HTTPResponse:
    """The response, its headers read, or `PlaceError` within `patience` seconds.

    In a thread of its own, because looking up a name has no time limit and each address of a host and each redirect
    would take the socket's anew.
    """
    answers: Queue[HTTPResponse | Exception] = Queue()
    given_up = threading.Event()

    def ask() -> None:
        try:
            response = urlopen(request, timeout=_STALL_SECONDS)
        except (OSError, HTTPException, ValueError) as error:
            answers.put(error)
            return
        answers.put(response)
        if given_up.is_set():
            response.close()

    threading.Thread(target=ask, name="sfumato-hub", daemon=True).start()
    try:
        answer = answers.get(timeout=patience)
    except Empty:
        given_up.set()
        raise PlaceError(f"gave no answer within {patience:g} s") from None
    if isinstance(answer, HTTPError):
        answer.close()
        raise PlaceError(f"answered {answer.code} {answer.reason}")
    if isinstance(answer, Exception):
        reason = getattr(answer, "reason", answer)
        raise _BrokenError(f"cannot be reached ({getattr(reason, 'strerror', None) or reason})")
    return answer


def _read(response: HTTPResponse, count: int) -> bytes:
    try:
        chunk = response.read(count)
    except (OSError, HTTPException) as error:
        raise _BrokenError(f"broke off ({error})") from error
    if not chunk:
        raise _BrokenError("ended early")
    return chunk
