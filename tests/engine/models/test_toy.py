"""The toy model: strict where tests lean on it, readable where they read it."""

from __future__ import annotations

import pytest
import torch

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.models.base import MASK, Rows, Voice, causal
from engine.models.toy import Toy, toy_tokenizer

VOICE = Voice.INFILL


def test_its_tokenizer_has_every_byte_and_the_beginnings_of_words() -> None:
    tokenizer = toy_tokenizer()
    text = "".join(map(chr, range(0x250))) + "漢字 🖌️ 👩‍👩‍👧‍👦"
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert [tokenizer.token_bytes[token] for token in tokenizer.encode("return x")] == [b"return", b" ", b"x"]
    assert b"retu" in tokenizer.token_bytes
    assert all(tokenizer.token_bytes[token] == b"" for token in tokenizer.control)


def test_it_goes_on_as_the_text_it_knows() -> None:
    toy = Toy(["one two three", "four five"])
    assert written(toy, "four f") == "ive"
    assert written(toy, "none of it, one t") == "wo three"


def test_it_ends_where_the_suffix_begins() -> None:
    toy = Toy(["total = price * count\nreturn total\n"])
    assert written(toy, "total = ", "\nreturn total") == "price * count"


def written(toy: Toy, prefix: str, suffix: str = "") -> str:
    encode, control = toy.tokenizer.encode, toy.prompts
    ids = [control.fim_prefix, control.fim_suffix, *encode(suffix), control.fim_middle, *encode(prefix)]
    start = len(ids)
    while (token := int(toy.reading(ids, VOICE).argmax())) not in control.end:
        ids.append(token)
    return toy.tokenizer.decode(ids[start:])


@pytest.mark.parametrize("change", ["hidden", "shown", "moved", "swapped"])
def test_a_row_reads_exactly_what_it_is_shown(change: str) -> None:
    toy = Toy()
    toy.encode([1, 2, 3], VOICE, CancelToken())
    visible = causal(3)
    ids, positions = [4, 5, 6], [3, 4, 5]
    plain = [toy.reading([1, 2, 3, 4, 5, 6][: 4 + row], VOICE) for row in range(3)]
    assert torch.equal(toy.read(Rows(ids, positions, 3, 0, visible), VOICE).exact, torch.stack(plain))
    if change == "hidden":
        visible[2, 0] = False
    elif change == "shown":
        visible[0, 2] = True
    elif change == "moved":
        positions = [3, 4, 6]
    else:
        ids = [4, 6, 5]
    other = toy.read(Rows(ids, positions, 3, 0, visible), VOICE).exact
    assert [torch.equal(a, b) for a, b in zip(plain, other, strict=True)].count(False) >= 1


def test_what_is_committed_is_read_again() -> None:
    toy = Toy()
    toy.encode([1, 2, 3], VOICE, CancelToken())
    toy.read(Rows([4, 9], [3, 4], 2, 0, causal(2)), VOICE)
    toy.commit([0], VOICE)
    reading = toy.read(Rows([5], [4], 1, 0, torch.ones(1, 2, dtype=torch.bool)), VOICE)
    assert torch.equal(reading.exact[0], toy.reading([1, 2, 3, 4, 5], VOICE))


def test_masks_say_the_tokens_after_next() -> None:
    toy = Toy(["abcdefgh"], canvas=3)
    a, *_ = toy.tokenizer.encode("a")
    toy.encode([toy.prompts.fim_middle], VOICE, CancelToken())
    visible = torch.tensor([[1, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]], dtype=torch.bool)
    reading = toy.read(Rows([a, MASK, MASK, MASK], [1, 2, 3, 4], 1, 3, visible), VOICE)
    assert toy.tokenizer.decode(reading.exact.argmax(dim=-1).tolist()) == "b"
    assert toy.tokenizer.decode(reading.canvas.argmax(dim=-1).tolist()) == "cde"


def test_a_mask_that_is_shown_something_else_says_something_else() -> None:
    toy = Toy(["abcdefgh"], canvas=2)
    a, *_ = toy.tokenizer.encode("a")
    toy.encode([toy.prompts.fim_middle], VOICE, CancelToken())
    for row, column in ((1, 0), (1, 2), (2, 1)):
        visible = torch.tensor([[1, 0, 0], [1, 1, 1], [1, 1, 1]], dtype=torch.bool)
        visible[row, column] = False
        said = toy.read(Rows([a, MASK, MASK], [1, 2, 3], 1, 2, visible), VOICE).canvas.argmax(dim=-1).tolist()
        assert said[row - 1] != toy.tokenizer.encode("cd")[row - 1]


def test_its_denoiser_is_right_as_often_as_told() -> None:
    shares = []
    for accuracy in (0.0, 0.5, 1.0):
        toy, right = Toy(canvas=1, accuracy=accuracy), 0
        for number in range(100):
            toy.encode([number], VOICE, CancelToken())
            visible = torch.tensor([[1, 0], [1, 1]], dtype=torch.bool)
            said = int(toy.read(Rows([number, MASK], [1, 2], 1, 1, visible), VOICE).canvas.argmax())
            ids = [number, number, int(toy.reading([number, number], VOICE).argmax())]
            right += said == int(toy.reading(ids, VOICE).argmax())
        shares.append(right)
    assert shares[0] <= 5
    assert 35 < shares[1] < 65
    assert shares[2] == 100


def test_a_prompt_is_reused_as_far_as_it_agrees_for_each_voice() -> None:
    toy = Toy()
    assert toy.encode([1, 2, 3, 4], VOICE, CancelToken()) == 0
    assert toy.encode([1, 2, 9], VOICE, CancelToken()) == 2
    assert toy.encode([1, 2, 9], Voice.PLAIN, CancelToken()) == 0
    assert toy.encode([1, 2, 9, 4, 5], VOICE, CancelToken()) == 3


def test_a_cancelled_prompt_can_be_taken_up_again() -> None:
    toy, cancel = Toy(), CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        toy.encode([1, 2], VOICE, cancel)
    assert toy.encode([1, 2], VOICE, CancelToken()) == 0


def test_it_refuses_a_mask_of_another_shape() -> None:
    toy = Toy()
    toy.encode([1], VOICE, CancelToken())
    with pytest.raises(ValueError, match=r"visible is \(1, 2\) with 0 slots and 1 rows"):
        toy.read(Rows([2], [1], 1, 0, torch.ones(1, 2, dtype=torch.bool)), VOICE)


@pytest.mark.parametrize("rows", [[1, 0], [0, 0]])
def test_it_refuses_rows_out_of_order(rows: list[int]) -> None:
    toy = Toy()
    toy.read(Rows([1, 2], [0, 1], 2, 0, causal(2)), VOICE)
    with pytest.raises(ValueError, match="rising order"):
        toy.commit(rows, VOICE)
