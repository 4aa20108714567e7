"""Places in real code where the next words are obvious: small differences between CPUs must not show."""

from __future__ import annotations

from dataclasses import dataclass

CURSOR = "⌶"


@dataclass(frozen=True)
class Place:
    """A document and where its user stands."""

    name: str
    language: str
    marked: str

    @property
    def text(self) -> str:
        """The document."""
        return self.marked.replace(CURSOR, "")

    @property
    def line(self) -> int:
        """0-based."""
        return self.marked[: self.marked.index(CURSOR)].count("\n")

    @property
    def character(self) -> int:
        """0-based, in utf-16."""
        before = self.marked[: self.marked.index(CURSOR)]
        return len(before[before.rfind("\n") + 1 :].encode("utf-16-le")) // 2


PLACES = [
    Place(
        "fibonacci",
        "python",
        "def fibonacci(n):\n    if n < 2:\n        return n\n    return ⌶\n\n\nprint(fibonacci(10))\n",
    ),
    Place(
        "stack",
        "python",
        "class Stack:\n    def __init__(self):\n        self.items = []\n\n"
        "    def push(self, item):\n        self.items.⌶\n",
    ),
    Place("load", "python", "import json\n\n\ndef load(path):\n    with open(path) as file:\n        return json.⌶\n"),
    Place("area", "python", 'def area(width, height):\n    label = "🖌️ 漢字"; return width * ⌶\n'),
    Place("add", "typescript", "export function add(a: number, b: number): number {\n  return ⌶;\n}\n"),
    Place(
        "clamp",
        "typescript",
        "function clamp(value: number, low: number, high: number): number {\n  return Math.max(low, Math.min(⌶));\n}\n",
    ),
    Place(
        "loop",
        "go",
        'package main\n\nimport "fmt"\n\nfunc main() {\n\tfor i := 0; i < 10; i⌶ {\n\t\tfmt.Println(i)\n\t}\n}\n',
    ),
    Place("max", "go", "func Max(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn ⌶\n}\n"),
    Place(
        "square", "rust", 'fn square(x: i32) -> i32 {\n    x * ⌶\n}\n\nfn main() {\n    println!("{}", square(4));\n}\n'
    ),
    Place("point", "rust", "struct Point {\n    x: f64,\n    y: f64,\n}\n\nlet origin = Point { x: 0.0, y: ⌶ };\n"),
    Place("numbers", "json", '{\n  "one": 1,\n  "two": 2,\n  "three": ⌶,\n  "four": 4\n}\n'),
    Place("folder", "bash", '#!/usr/bin/env bash\ndir="$1"\nif [ ! -d "$dir" ]; then\n  mkdir -p ⌶\nfi\n'),
    Place("squares", "markdown", "| number | square |\n|---|---|\n| 1 | 1 |\n| 2 | 4 |\n| 3 | ⌶ |\n| 4 | 16 |\n"),
    Place("even", "javascript", "function isEven(n) {\n  return n % 2 === ⌶;\n}\n"),
]
