"""The training process: `python -m engine.adapt FOLDER` goes on with the run in that folder, at the lowest priority.

SIGTERM and SIGINT save and leave. One process a run: a second one says so and leaves. With `--background` before the
folder it starts itself in a session of its own and leaves at once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from ..errors import SfumatoError


def main(argv: list[str]) -> int:
    """0 finished, 3 stopped before the end, 1 cannot."""
    if argv[0] == "--background":
        subprocess.Popen([sys.executable, "-P", "-m", "engine.adapt", argv[1]], start_new_session=True)
        return 0
    if hasattr(os, "nice"):
        os.nice(19)
    stops: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _: stops.append(received))
    from .run import open_run  # after the priority: torch starts its threads when it is imported

    try:
        with open_run(Path(argv[0])) as trainer:
            return 0 if trainer.run(lambda: bool(stops)) else 3
    except (SfumatoError, OSError, ValueError, TypeError) as error:
        print(f"adapt: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
