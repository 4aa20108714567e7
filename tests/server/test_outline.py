"""What each language's files define, and how shortly it is said."""

from __future__ import annotations

import time

import pytest

from server.languages import language_of
from server.outline import LONGEST, outline

PYTHON = """\
import os
from .a import b

LIMIT: int = 3

@dataclass(frozen=True)
class Point(Base):
    '''A point.'''

    x: int = 0

    def __init__(self, x: int) -> None:
        self.x = x

    @property
    def far(
        self,
        by: int = 2,
    ) -> bool:
        return self.x > by

    def _hidden(self): ...

async def load(path, *, strict=False):
    def inner(): pass
    return path

if os.name == "nt":
    def only_there(): pass

load(1)
"""


def told(language: str, text: str) -> dict[str, str]:
    return {one.name: one.text for one in outline(language_of(language), text)}


def test_python() -> None:
    assert told("python", PYTHON) == {
        "LIMIT": "LIMIT: int = 3",
        "Point": "class Point(Base):\n    x: int = 0\n    def __init__(self, x: int) -> None:\n"
        "    def far( self, by: int = 2, ) -> bool:",
        "load": "async def load(path, *, strict=False):",
        "only_there": "def only_there():",
    }


@pytest.mark.parametrize(
    ("language", "text", "name", "short"),
    [
        ("typescript", "export interface A { a: string; f(x: number): void }", "A", "interface A\n    a: string"),
        ("typescript", "export const f = (a: number) => { return 1 }", "f", "f = (a: number) =>"),
        ("typescriptreact", "export default function App(p: P) { return <p/> }", "App", "function App(p: P)"),
        ("javascript", "class B { g(a) { return 1 } }", "B", "class B\n    g(a)"),
        (
            "go",
            "package a\n\nfunc (s *S) Load(a int) error {\n\treturn nil\n}\n",
            "Load",
            "func (s *S) Load(a int) error",
        ),
        ("go", "package a\n\ntype S struct { A int }\n", "S", "S struct { A int }"),
        ("rust", "impl S { pub fn f(&self) -> i32 { 1 } }", "S", "impl S\n    pub fn f(&self) -> i32"),
        ("rust", "mod m { pub fn f() {} }", "f", "pub fn f()"),
        ("c", "int f(int a, char *b);", "f", "int f(int a, char *b);"),
        ("c", "static char *g(void) { return 0; }", "g", "static char *g(void)"),
        ("cpp", "namespace a { class B { public: int f(int a) const; }; }", "B", "class B\n    int f(int a) const;"),
        ("java", "package a; public class A { public int f(int a) { return 1; } }", "A", "public class A\n    public"),
        ("lua", "local function f(a) return 1 end", "f", "local function f(a)"),
        ("shellscript", "f() { echo a; }", "f", "f()"),
    ],
)
def test_other_languages(language: str, text: str, name: str, short: str) -> None:
    assert told(language, text)[name].startswith(short)


@pytest.mark.parametrize("language", ["markdown", "json", "yaml", "klingon", "css"])
def test_nothing_is_defined_where_nothing_can_be_called(language: str) -> None:
    assert told(language, "a: 1\n# b\n") == {}


def test_broken_text_and_text_in_one_line_are_no_fault() -> None:
    assert "f" in told("python", "def f(a):\n    return (\n\ndef g(\n")
    assert len(told("python", "x = 1;" * 100_000)["x"]) <= 240


def test_a_huge_text_is_read_as_far_as_time_allows() -> None:
    text = "".join(f"def f{number}(a):\n    return a\n\n" for number in range(100_000))
    began = time.process_time()
    assert 1000 < len(told("python", text)) < LONGEST / 20
    assert time.process_time() - began < 2
