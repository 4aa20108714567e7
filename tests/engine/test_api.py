"""The door: torch stays outside until an engine is opened."""

from __future__ import annotations

import subprocess
import sys


def test_importing_the_engine_imports_no_torch() -> None:
    script = "import engine, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_threads_that_wait_do_not_spin_for_long() -> None:
    """Set before torch is imported, and only where nobody has chosen otherwise."""
    script = "import os, engine.models.load as load; print(os.environ['OMP_WAIT_POLICY'], load.torch.__name__)"
    for chosen in ("PASSIVE", "ACTIVE"):
        environment = {"OMP_WAIT_POLICY": chosen} if chosen == "ACTIVE" else {}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == [chosen, "torch"]
