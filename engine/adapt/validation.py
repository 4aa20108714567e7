"""How good an infiller is on packages it was never trained on; the same holes each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from .body import TrainingBody
from .examples import Example
from .objective import grade

_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Score:
    """`exact`: share of holes whose every token and end are the likeliest, so that greedy decoding writes the text."""

    middle_loss: float  # nats a token of the last ones before the suffix
    end_loss: float  # nats an end token
    exact: float
    stops: float  # share of ends that are the likeliest token


@torch.no_grad()
def validate(body: TrainingBody, examples: Sequence[Example], end: int) -> Score:
    """Teacher-forced, which for greedy decoding decides exactness as well."""
    middles, ends, exact, stops = [], [], 0, 0
    for start in range(0, len(examples), _AT_ONCE):
        some = examples[start : start + _AT_ONCE]
        graded = grade(body, some, end)
        sizes = [example.graded + 1 for example in some]
        for example, losses, right in zip(
            some, torch.split(graded.losses, sizes), torch.split(graded.right, sizes), strict=True
        ):
            middles += losses[:-1].tolist()
            ends.append(losses[-1].item())
            exact += bool(right[-1 - min(example.middle, example.graded) :].all())
            stops += bool(right[-1])
    count = len(examples)
    return Score(sum(middles) / max(1, len(middles)), sum(ends) / count, exact / count, stops / count)
