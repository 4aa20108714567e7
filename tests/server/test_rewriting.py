"""Select and rewrite: `«…»` marks the selection, the expected text is the whole document afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Cancelled, CancelToken, StopReason
from server.rewriting import RewriteAnswer, rewrite
from server.settings import Settings
from server.snapshot import Snapshot
from server.suggestion import Refused

from .answering import Answering

SETTINGS = Settings()


def ask(
    marked: str, text: str, language: str = "python", stop: StopReason = StopReason.END, uri: str = "file:///p/code"
) -> tuple[RewriteAnswer, Answering, Snapshot]:
    start, end = marked.index("«"), marked.index("»") - 1
    snapshot = Snapshot(uri, language, 1, marked.replace("«", "").replace("»", ""))
    engine = Answering(text, stop=stop)
    return rewrite(engine, snapshot, start, end, "change it", SETTINGS), engine, snapshot


def rewritten(answer: RewriteAnswer, snapshot: Snapshot) -> str:
    assert answer.suggestion is not None
    one = answer.suggestion
    return snapshot.text[: one.start] + one.text + snapshot.text[one.end :]


REWRITTEN = {
    "whole lines": (
        "python",
        "class A:\n«    def f(self):\n        return 1»\n\n    b = 2\n",
        "def f(self):\n    return 2",
        "class A:\n    def f(self):\n        return 2\n\n    b = 2\n",
    ),
    "from behind the indentation": (
        "python",
        "class A:\n    «def f(self):\n        return 1»\n",
        "def f(self):\n    return 2",
        "class A:\n    def f(self):\n        return 2\n",
    ),
    "indentation brought along": (
        "python",
        "class A:\n    «def f(self):\n        return 1»\n",
        "    def f(self):\n        return 2",
        "class A:\n    def f(self):\n        return 2\n",
    ),
    "indentation brought along but for the first line": (
        "python",
        "class A:\n    «def f(self):\n        return 1»\n",
        "def f(self):\n        return 2",
        "class A:\n    def f(self):\n        return 2\n",
    ),
    "first line deeper than the last": (
        "javascript",
        "function f() {\n«  if (a) {\n    b();\n  }\n}»\n",
        "if (a) {\n    c();\n  }\n}",
        "function f() {\n  if (a) {\n    c();\n  }\n}\n",
    ),
    "words in a line": (
        "javascript",
        'const i = "🚀"; let «oldName» = 1;\n',
        "count",
        'const i = "🚀"; let count = 1;\n',
    ),
    "arguments": ("python", 'a = "日本"; f(«1, 2»)\n', "2, 1", 'a = "日本"; f(2, 1)\n'),
    "an end is exclusive": ("javascript", "f(«{ a: 1 }»);\n", "{ a: 2 }", "f({ a: 2 });\n"),
    "to the start of a line": ("python", "«a=1\n»b=2\n", "a = 1", "a = 1\nb=2\n"),
    "to the start of a line, ended": ("markdown", "«abc\n»def\n", "ABC\n", "ABC\ndef\n"),
    "to the end of a line": ("markdown", "«abc»\ndef\n", "ABC\n", "ABC\ndef\n"),
    "blank first line": ("python", "a = 1\n«\nb = 2\n»c = 3\n", "b = 4", "a = 1\n\nb = 4\nc = 3\n"),
    "nothing selected": ("markdown", "hello«»\nworld\n", " there", "hello there\nworld\n"),
    "a blank line selected": ("python", "def f():\n«    \n»", "return 1", "def f():\n    return 1\n"),
    "carriage returns": (
        "cpp",
        "struct P {\r\n«    int x;\r\n    int y;»\r\n};\r\n",
        "int x;\nint y;\nint z;",
        "struct P {\r\n    int x;\r\n    int y;\r\n    int z;\r\n};\r\n",
    ),
    "tabs": (
        "go",
        "func f() {\n«\tif a {\n\t\tb()\n\t}»\n}\n",
        "if a {\n    c()\n}",
        "func f() {\n\tif a {\n\t\tc()\n\t}\n}\n",
    ),
    "enclosing fence": ("python", "«a = 1»\n", "```python\na = 2\n```", "a = 2\n"),
    "a word about it": ("python", "«a = 1»\n", "Here it is:\n\n```python\na = 2\n```\n\nI changed it.", "a = 2\n"),
    "fences within": (
        "markdown",
        "«# A\n\n```sh\nrun\n```\n\nMore.»\n",
        "# B\n\n```sh\nrun\n```\n\nMore.",
        "# B\n\n```sh\nrun\n```\n\nMore.\n",
    ),
    "fence around fences": (
        "markdown",
        "«# A\n\n```sh\nrun\n```»\n",
        "```markdown\n# B\n\n```sh\nrun\n```\n```",
        "# B\n\n```sh\nrun\n```\n",
    ),
    "a fence selected": ("markdown", "«```sh\nrun\n```»\n", "```sh\nrun it\n```", "```sh\nrun it\n```\n"),
    "two blocks are no fence around": (
        "markdown",
        "«Run a, then b.»\n",
        "```sh\na\n```\nthen\n```sh\nb\n```",
        "```sh\na\n```\nthen\n```sh\nb\n```\n",
    ),
    "control tokens": ("python", "«a = 1»\n", "a = 2<|im_end|>\n<|endoftext|>", "a = 2\n"),
    "lines below repeated": (
        "python",
        "«a = 1\n»\n\ndef following(a):\n    return a\n",
        "a = 2\n\n\ndef following(a):\n    return a",
        "a = 2\n\n\ndef following(a):\n    return a\n",
    ),
    "closing brace below repeated": (
        "javascript",
        "function f() {\n«  a();»\n}\n",
        "b();\n}",
        "function f() {\n  b();\n}\n",
    ),
    "closing brace of its own": (
        "javascript",
        "function f() {\n«  a();»\n}\n",
        "if (a) {\n  b();\n}",
        "function f() {\n  if (a) {\n    b();\n  }\n}\n",
    ),
    "errors that were there": ("python", "def f(:\n    «return 1»\n", "return 2", "def f(:\n    return 2\n"),
    "fewer errors than before": (
        "python",
        "«def f(:\n    return (»\n",
        "def f():\n    return (",
        "def f():\n    return (\n",
    ),
    "script in a page": (
        "html",
        "<script>\n«let a = 1;»\n</script>\n",
        "let a = 2;",
        "<script>\nlet a = 2;\n</script>\n",
    ),
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_what_is_rewritten(name: str) -> None:
    language, marked, text, expected = REWRITTEN[name]
    answer, engine, snapshot = ask(marked, text, language)
    assert answer.refused is None
    assert rewritten(answer, snapshot) == expected
    assert engine.added == [0]


@pytest.mark.parametrize(
    ("marked", "text", "stop", "refused"),
    [
        ("«a = 1»\n", "", StopReason.END, Refused.EMPTY),
        ("«a = 1»\n", "```python\n```", StopReason.END, Refused.EMPTY),
        ("«a = 1»\n", "a = 1", StopReason.END, Refused.UNCHANGED),
        ("«a = 1»\n", "a = (", StopReason.END, Refused.SYNTAX),
        ("«a = 1»\n", "a = 2\nb = 3", StopReason.LENGTH, Refused.CUT_OFF),
        ("«a = 1»\n", "a = 2\nb = 3", StopReason.DEADLINE, Refused.CUT_OFF),
        ("«a = 1»\n", "a = 2\n" * 9, StopReason.END, Refused.REPETITION),
    ],
)
def test_what_is_refused(marked: str, text: str, stop: StopReason, refused: Refused) -> None:
    answer, _, _ = ask(marked, text, stop=stop)
    assert (answer.refused, answer.suggestion) == (refused, None)


def test_a_loop_that_was_selected_may_stay() -> None:
    answer, _, snapshot = ask("«call(a)\ncall(a)\ncall(a)\n»", "call(b)\ncall(b)\ncall(b)")
    assert rewritten(answer, snapshot) == "call(b)\ncall(b)\ncall(b)\n"


def test_what_the_engine_is_told() -> None:
    marked = "class A:\r\n«    def f(self):\r\n        return 1\r\n»"
    _, engine, _ = ask(marked, "def f(self):\n    return 2", uri="file:///home/someone/src/a.py")
    request = engine.rewrites[0]
    assert request.text == "class A:\n    def f(self):\n    return 1\n"
    assert request.text[request.start : request.end] == "def f(self):\n    return 1"
    assert (request.instruction, request.language, request.path) == ("change it", "python", "src/a.py")
    assert (request.max_tokens, request.deadline_s) == (1024, 120.0)


def test_the_engine_is_told_of_errors_so_that_it_can_mend_them() -> None:
    engine = Answering("a = (", "", "a = 2")
    rewrite(engine, Snapshot("file:///a.py", "python", 1, "a = 1\n"), 0, 5, "change it", SETTINGS)
    assert [added > 0 for added in engine.added] == [True, True, False]


@pytest.mark.parametrize(
    ("start", "end", "instruction", "refused"),
    [
        (0, 5, " \n", Refused.NO_INSTRUCTION),
        (0, 99, "x", Refused.OUTSIDE),
        (-1, 2, "x", Refused.OUTSIDE),
        (3, 2, "x", Refused.OUTSIDE),
    ],
)
def test_requests_that_make_no_sense(start: int, end: int, instruction: str, refused: Refused) -> None:
    engine = Answering("a")
    answer = rewrite(engine, Snapshot("file:///a.py", "python", 1, "a = 1\n"), start, end, instruction, SETTINGS)
    assert (answer.refused, engine.rewrites) == (refused, [])


def test_excluded_files_never_reach_the_engine() -> None:
    answer, engine, _ = ask("«a»\n", "b", uri="file:///home/u/.ssh/config")
    assert (answer.refused, engine.rewrites) == (Refused.EXCLUDED, [])


def test_cancelling_passes_through() -> None:
    token = CancelToken()
    token.cancel()
    snapshot = Snapshot("file:///a.py", "python", 1, "a = 1\n")
    with pytest.raises(Cancelled):
        rewrite(Answering("b"), snapshot, 0, 5, "x", SETTINGS, cancel=token)


TEXT = st.text(st.sampled_from("ab(){}:= \t\n\r#`"), max_size=16)


@given(before=TEXT, chosen=TEXT, behind=TEXT, text=TEXT, language=st.sampled_from(["python", "go", "markdown", ""]))
def test_exactly_the_selection_is_replaced(before: str, chosen: str, behind: str, text: str, language: str) -> None:
    snapshot = Snapshot("untitled:a", language, 1, before + chosen + behind)
    answer = rewrite(Answering(text), snapshot, len(before), len(before + chosen), "x", SETTINGS)
    assert (answer.suggestion is None) != (answer.refused is None)
    if answer.suggestion is not None:
        moved = [len(before) - answer.suggestion.start, len(before + chosen) - answer.suggestion.end]
        assert set(moved) <= {0, 1}  # 1: the border was inside a line end
