"""The log file: what the server did and what went wrong, never the user's code.

Exception messages and the framework's own log quote what clients send, so neither is written; types and places are.
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

from platformdirs import user_log_path

_OURS = ("server", "engine")
_FRAMEWORKS = ("pygls", "asyncio", "concurrent.futures")


def log_folder() -> Path:
    """`$SFUMATO_HOME/log`, or where the system keeps logs."""
    home = os.environ.get("SFUMATO_HOME")
    return Path(home) / "log" if home else user_log_path("sfumato")


def open_log(folder: Path) -> Path | None:
    """Start writing `sfumato.log` in `folder`, a megabyte at most and three older ones; None if that cannot be."""
    for name in _FRAMEWORKS:
        framework = logging.getLogger(name)
        framework.addHandler(logging.NullHandler())
        framework.propagate = False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "sfumato.log"
        handler = _LogFile(path, maxBytes=1_000_000, backupCount=3, encoding="utf-8")
    except OSError as error:
        print(f"sfumato: no log file in {folder}: {error.strerror}", file=sys.stderr)
        return None
    handler.setFormatter(logging.Formatter(f"%(asctime)s {os.getpid()} %(levelname)s %(name)s: %(message)s"))
    for name in _OURS:
        logging.getLogger(name).addHandler(handler)
        logging.getLogger(name).setLevel(logging.INFO)
        logging.getLogger(name).propagate = False
    return path


class _LogFile(RotatingFileHandler):
    """Says once that nothing can be written, where the framework would print a traceback for each line."""

    _failed = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the framework's name
        if not self._failed:
            error = sys.exc_info()[1]
            reason = error.strerror if isinstance(error, OSError) else type(error).__name__
            print(f"sfumato: the log is not written: {reason}", file=sys.stderr)
        self._failed = True

    def close(self) -> None:
        with suppress(OSError):  # what could not be written still cannot
            super().close()


def close_log() -> None:
    """Stop writing; the file can be moved or removed."""
    for name in _OURS:
        logger = logging.getLogger(name)
        for handler in [handler for handler in logger.handlers if isinstance(handler, RotatingFileHandler)]:
            logger.removeHandler(handler)
            handler.close()
        logger.propagate = True


def log_fault(doing: str, error: BaseException) -> None:
    """Note an exception nobody planned for: its type and where it came from, not its message."""
    frames = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    logging.getLogger(__name__).error("%s raised %s\n%s", doing, describe(error), frames)


def describe(error: BaseException) -> str:
    """Type and place of an exception, fit to be shown."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
