"""The infiller's loss against a plain reading of the same tokens."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from engine.adapt.body import Stream, TrainingBody
from engine.adapt.examples import Example
from engine.adapt.objective import Graded, InfillerObjective
from tests.engine.models.tiny_qwen import SHAPE

from .tiny_training import random_adapter, training_body

END = 300
IDS = torch.randint(0, 290, (30,), generator=torch.Generator().manual_seed(3)).tolist()
EXAMPLES = [Example(IDS, 6, 2, 23, ""), Example(IDS[3:20], 4, 1, 0, "")]


@pytest.fixture
def body() -> TrainingBody:
    return training_body(random_adapter(1))


def grade(body: TrainingBody, examples: list[Example], end: int = END, short: int = SHAPE.vocabulary) -> Graded:
    return InfillerObjective(end, 4.0, short).grade(body, examples)


def plain_losses(body: TrainingBody, example: Example) -> torch.Tensor:
    """Each row's prediction of the next token, and the last row's of the end, by the definition of cross-entropy."""
    logs = F.log_softmax(body.logits(body.read([Stream(example.ids)])[0]), dim=-1)
    following = [*example.ids[1:], END]
    all_losses = torch.stack([-logs[row, token] for row, token in enumerate(following)])
    return all_losses[-example.graded - 1 :]


def test_losses_are_those_of_the_next_tokens_and_the_end(body: TrainingBody) -> None:
    graded = grade(body, EXAMPLES)
    expected = torch.cat([plain_losses(body, example) for example in EXAMPLES])
    torch.testing.assert_close(graded.losses, expected, atol=1e-4, rtol=1e-4)
    assert graded.ends.tolist() == [False] * 6 + [True] + [False] * 4 + [True]


def test_an_end_counts_as_several_tokens(body: TrainingBody) -> None:
    graded = grade(body, EXAMPLES)
    ends, others = graded.losses[graded.ends], graded.losses[~graded.ends]
    expected = (4 * ends.sum() + others.sum()) / (4 * 2 + 10)
    loss = InfillerObjective(END, 4.0, SHAPE.vocabulary).loss(body, EXAMPLES)
    assert loss.item() == pytest.approx(expected.item())


def test_right_is_the_likeliest_token(body: TrainingBody) -> None:
    logits = body.logits(body.read([Stream(IDS)])[0])
    wanted = logits[-7:].argmax(dim=1).tolist()
    flattering = [*IDS[:-6], *wanted[:-1]]  # not what is read then, but the first one stays right
    assert grade(body, [Example(flattering, 6, 2, 0, "")], END).right[0]
    assert not grade(body, [Example(IDS, 6, 2, 0, "")], 301).right[-1]


def test_a_short_vocabulary_holds_its_targets_and_only_leaves_out_rivals(body: TrainingBody) -> None:
    whole = grade(body, EXAMPLES).losses
    short = grade(body, EXAMPLES, short=40).losses
    assert (short <= whole + 1e-5).all()
    assert (short > 0).all()


def test_context_gets_no_gradient() -> None:
    """The same example with and without: its keys are learnt from all rows, or from the graded ones."""
    gradients = []
    for context in (23, 0):
        adapter = random_adapter(1)
        InfillerObjective(END, 4.0).loss(training_body(adapter), [Example(IDS, 6, 2, context, "")]).backward()
        gradients.append(adapter.down["0-k"].grad)
    assert gradients[0] is not None
    assert gradients[1] is not None
    assert (gradients[0] - gradients[1]).norm() > 0.05 * gradients[1].norm()


def test_a_score_counts_holes_that_greedy_decoding_would_fill_exactly(body: TrainingBody) -> None:
    """Continue a text greedily; its last tokens are then exact, up to where one is changed."""
    ids = IDS[:20]
    for _ in range(6):
        ids.append(int(body.logits(body.read([Stream(ids)])[0])[-1].argmax()))
    end = int(body.logits(body.read([Stream(ids)])[0])[-1].argmax())
    changed = [*ids[:-4], (ids[-4] + 1) % 290, *ids[-3:]]
    objective = InfillerObjective(end, 4.0)
    good = objective.score(body, [Example(ids, 8, 4, 0, ""), Example(ids, 8, 9, 0, "")])
    assert good.figures["stops"] == 1.0
    assert good.figures["exact"] == 0.5  # the second hole reaches back to tokens that were not the likeliest
    assert objective.score(body, [Example(changed, 8, 4, 0, "")]).figures["exact"] == 0.0
    losses = objective.grade(body, [Example(ids, 8, 4, 0, "")]).losses
    middle, own_end = losses[:-1].mean().item(), losses[-1].item()
    assert good.figures["middle"] == pytest.approx(middle, abs=1e-4)
    assert good.loss == pytest.approx((8 * middle + own_end) / 9, abs=1e-4)
