"""Cases run one after another, and a verdict on each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from .acting import act
from .case import BadCase, Case, Json, read_case
from .checks import faults_of
from .session import Lost, Servers


@dataclass(frozen=True)
class Verdict:
    """`fault` says why a case failed."""

    id: str
    fault: str = ""

    def __str__(self) -> str:
        return f"{self.id} fail: {' '.join(self.fault.split())}" if self.fault else f"{self.id} pass"


async def run_lines(lines: Iterable[str]) -> AsyncIterator[Verdict]:
    """A verdict for each line that is not blank."""
    servers = Servers()
    try:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield await _verdict(f"line {number}", line, servers)
    finally:
        await servers.close()


async def _verdict(name: str, line: str, servers: Servers) -> Verdict:
    try:
        case = read_case(line)
    except BadCase as error:
        return Verdict(name, str(error))
    for initialization in case.initializations:
        if fault := await _fault(case, initialization, servers):
            variant = "" if len(case.initializations) == 1 else f"with initializationOptions {initialization!r}: "
            return Verdict(case.id, variant + fault)
    return Verdict(case.id) if case.initializations else Verdict(case.id, "no variant to try")


async def _fault(case: Case, initialization: Json, servers: Servers) -> str:
    """Why the case fails in a session that was initialized so."""
    try:
        server = await servers.take(case, initialization)
    except Lost as error:
        return f"the server does not start: {error}"
    is_sound = False
    try:
        outcome = await act(case, server)
        is_sound = True
        return "; ".join(faults_of(outcome))
    except Lost as error:
        return f"{error} {server.log[-500:]}".rstrip()
    except BadCase as error:
        return str(error)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        return f"the case or an answer is malformed: {type(error).__name__}: {error}"
    finally:
        await servers.give_back(server, is_sound=is_sound)
