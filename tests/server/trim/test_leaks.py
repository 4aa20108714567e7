from __future__ import annotations

import pytest

from server.brackets import Inside
from server.trim.leaks import readable, without_enclosing_fence, without_fences

from .places import site

TOKENS = [
    "fim_prefix",
    "fim_suffix",
    "fim_middle",
    "fim_pad",
    "endoftext",
    "im_start",
    "im_end",
    "repo_name",
    "file_sep",
]


@pytest.mark.parametrize("token", TOKENS)
def test_a_control_token_ends_the_text(token: str) -> None:
    assert readable(f"a = 1<|{token}|>b = 2", "") == "a = 1"
    assert readable(f"<|{token}|>a = 1", "") == "a = 1"


@pytest.mark.parametrize("token", ["<|eot_id|>", "<|mask|>", "<fim_suffix>", "<end_of_turn>", "<｜fim▁end｜>"])
def test_so_do_those_of_other_families(token: str) -> None:
    assert readable(f"a = 1{token}b = 2", "") == "a = 1"


@pytest.mark.parametrize("text", ["a <| b |> c", "<|custom|>", "x <fim> y", "<PRE>a</PRE>", "a<|endoftext|"])
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert readable(text, "") == text


def test_a_token_that_the_document_speaks_of_stays() -> None:
    assert readable('"<|im_end|>"<|endoftext|>', 'END = "<|im_end|>"') == '"<|im_end|>"'


@pytest.mark.parametrize(
    ("raw", "expected"), [("a\r\nb\rc", "a\nb\nc"), ("a\ufffd\ufffd", "a"), ("a\ufffdb", "a\ufffdb"), ("a\0b", "ab")]
)
def test_line_ends_and_unfinished_characters(raw: str, expected: str) -> None:
    assert readable(raw, "") == expected


@pytest.mark.parametrize(
    ("marked", "language", "text", "expected"),
    [
        ("‸\n", "python", "```python\na = 1\n```", "a = 1"),
        ("‸\n", "python", "```python\na = 1", "a = 1"),
        ("‸\n", "python", "a = 1\n```\nSo it is.", "a = 1"),
        ("x = ‸\n", "python", "1\n```", "1"),
        ("‸\n", "python", 'a = """\n```\n"""', 'a = """\n```\n"""'),
        ("‸\n", "markdown", "```sh\nls\n```", "```sh\nls\n```"),
        ("‸\n", "javascript", "a = `b`;", "a = `b`;"),
    ],
)
def test_fences(marked: str, language: str, text: str, expected: str) -> None:
    assert without_fences(text, site(marked, language)) == expected


def test_fences_in_a_docstring_stay() -> None:
    place = site('"""\n‸\n"""\n', inside=Inside.STRING)
    assert without_fences("Use:\n```\na\n```", place) == "Use:\n```\na\n```"


def test_a_fenced_block_ends_with_its_fence() -> None:
    place = site("cd‸\n```\n", "shellscript", fenced=True)
    assert without_fences(" /a\nls\n```\nMore", place) == " /a\nls"
    assert without_fences(" /a", place) == " /a"


@pytest.mark.parametrize(
    ("text", "prose", "draft", "expected"),
    [
        ("```py\na\n```", False, "b", "a"),
        ("\n```\na\n```\n", False, "b", "a"),
        ("```\na\n```", True, "b", "a"),
        ("```markdown\n# a\n\n```sh\nb\n```\n```", True, "# c", "# a\n\n```sh\nb\n```"),
        ("```sh\na\n```", True, "a", "```sh\na\n```"),
        ("```sh\na\n```", True, "```sh\nb\n```", "```sh\na\n```"),
        ("Sure:\n```py\na\n```\nDone.", False, "b", "a"),
        ("Sure:\n```py\na\n```\nDone.", True, "b", "Sure:\n```py\na\n```\nDone."),
        ("```\na\n```\nor\n```\nb\n```", False, "c", "```\na\n```\nor\n```\nb\n```"),
        ("a", False, "b", "a"),
        ("a = '```'", False, "b", "a = '```'"),
    ],
)
def test_a_fence_around_a_whole_answer(text: str, prose: bool, draft: str, expected: str) -> None:
    assert without_enclosing_fence(text, prose=prose, draft=draft) == expected
