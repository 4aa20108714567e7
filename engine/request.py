"""What a caller asks of the engine and what comes back.

Frozen and torch-free. Offsets count code points of `text`; nothing here knows of editors or files on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum


class Mode(StrEnum):
    """How a canvas is filled."""

    LOSSLESS = "lossless"  # one hole; the text is the causal reading's own, only sooner
    JOINT = "joint"  # several holes, or several candidates ranked by what follows them


class StopReason(StrEnum):
    """Why the engine stopped writing."""

    END = "end"  # the model's own end token
    LENGTH = "length"  # max_tokens reached
    NEWLINE = "newline"  # the request asked for the rest of one line
    DEADLINE = "deadline"  # best text so far
    STEPS = "steps"  # the schedule ended; best text so far
    ENOUGH = "enough"  # the request said so


@dataclass(frozen=True, slots=True)
class Hole:
    """Half-open range `[start, end)` of the request's text to fill; the text inside is its draft.

    `one_line` ends the filling before its first line end. `wanted`: nothing is no answer, as at the start of any line.
    """

    start: int
    end: int
    one_line: bool = False
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class Snippet:
    """An excerpt of another file, shown to the model before the prefix."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class InfillRequest:
    """Fill `holes` of `text`: sorted, not overlapping. `max_tokens` is per hole, `deadline_s` counts from the call.

    `mode=None` means lossless for one hole and one candidate, joint otherwise. `candidates > 1` needs joint.
    `enough` is shown a text after each of its line ends, as it is written: true where no more of it is of use.
    Canvases are not written line by line, and do not ask.
    """

    text: str
    holes: tuple[Hole, ...]
    language: str = ""
    path: str = ""
    snippets: tuple[Snippet, ...] = ()
    mode: Mode | None = None
    candidates: int = 1
    max_tokens: int = 256
    seed: int = 0
    deadline_s: float | None = None
    enough: Callable[[str], bool] | None = field(default=None, compare=False)


class Drafts(StrEnum):
    """What a rewrite has to verify, several tokens a forward: the text is the same, only sooner."""

    SELECTION = "selection"  # the selected text, taken up again after each change
    DENOISER = "denoiser"  # what masks propose: an unseeded canvas
    LOOKUP = "lookup"  # plain prompt lookup
    NOTHING = "nothing"  # one token a forward


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """Replace `text[start:end]` as `instruction` says; `drafts` other than the selection are there to be compared.

    `attempt` 0 is greedy; every other number draws another text, the same one each time.
    """

    text: str
    start: int
    end: int
    instruction: str
    language: str = ""
    path: str = ""
    attempt: int = 0
    drafts: Drafts = Drafts.SELECTION
    max_tokens: int = 1024
    deadline_s: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One filling: a text per hole, in the order of the request. `score` is its mean log probability."""

    texts: tuple[str, ...]
    stop_reason: StopReason
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds. `encode` is the prompt, `denoise` the canvas; `load` is 0 once the model is warm."""

    load: float = 0.0
    encode: float = 0.0
    denoise: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """`forwards`: model calls after the prompt, whatever their rows. `tokens`: put out, end tokens left out."""

    prompt_tokens: int = 0
    reused_tokens: int = 0
    forwards: int = 0
    tokens: int = 0
    ms: Timings = field(default_factory=Timings)

    @property
    def tokens_per_forward(self) -> float:
        """Tokens put out per model call; 0 when there was no call."""
        return self.tokens / self.forwards if self.forwards else 0.0


@dataclass(frozen=True, slots=True)
class InfillResult:
    """Candidates, best first; never empty."""

    candidates: tuple[Candidate, ...]
    model: str
    mode: Mode
    usage: Usage


@dataclass(frozen=True, slots=True)
class RewriteResult:
    """The new text of the selection."""

    text: str
    stop_reason: StopReason
    model: str
    usage: Usage


class PieceState(StrEnum):
    """How far a piece of a canvas is."""

    COMMITTED = "committed"
    PROPOSED = "proposed"  # may yet become something else
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring positions of a canvas in one state; open ones have no text yet."""

    state: PieceState
    text: str
    positions: int


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of something slow. `stage`: download, verify, convert, load or denoise; `total` 0 = unknown.

    For download and verify `done` and `total` are bytes, and `text` a sentence for people; for denoise `done` is
    tokens and `text` the draft so far, of several holes that of the one being filled. `holes`, of an infill: each
    hole's canvas after the last forward, in order; of several candidates the first one's.
    """

    stage: str
    done: int = 0
    total: int = 0
    text: str = ""
    holes: tuple[tuple[Piece, ...], ...] = ()


ProgressSink = Callable[[Progress], None]
SyntaxCheck = Callable[[tuple[str, ...]], int]
"""Texts of all holes -> number of syntax errors they add to the document (0: none)."""
