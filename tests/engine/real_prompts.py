"""Short real prompts in many languages: snippets written for the tests, and windows of this repository's own files."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CURSOR = "⌶"
BEFORE, AFTER = 120, 50  # characters: some 45 tokens in all


@dataclass(frozen=True)
class RealPrompt:
    """A text and where to write in it."""

    language: str
    text: str
    offset: int


SNIPPETS = {
    "python": [
        "def fibonacci(n):\n    if n < 2:\n        return n\n    return ⌶\n\n\nprint(fibonacci(10))\n",
        "import json\n\n\ndef load(path):\n    with open(path) as file:\n        ⌶\n",
        "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def push(self, item):\n        self.⌶\n",
        "names = ['Ada', 'Grace']\nfor name in na⌶:\n    print(name)\n",
    ],
    "typescript": [
        "export function clamp(value: number, low: number, high: number): number {\n  return Math.⌶;\n}\n",
        "interface User {\n  id: number;\n  name: string;\n}\n\nfunction hi(user: User) {\n  return `Hi, ${⌶}!`;\n}\n",
        "const total = prices.reduce((sum, price) => ⌶, 0);\n",
    ],
    "javascript": [
        "function isEven(n) {\n  return ⌶;\n}\n",
        "document.querySelector('#save').addEventListener('click', () => {\n  ⌶\n});\n",
        "const sleep = (ms) => new Promise((resolve) => set⌶);\n",
    ],
    "go": [
        'package main\n\nimport "fmt"\n\nfunc main() {\n\tfor i := 0; i < 10; i++ {\n\t\t⌶\n\t}\n}\n',
        "func Max(a, b int) int {\n\tif a > b {\n\t\treturn ⌶\n\t}\n\treturn b\n}\n",
        "data, err := os.ReadFile(path)\nif err != nil {\n\t⌶\n}\n",
    ],
    "rust": [
        "fn square(x: i32) -> i32 {\n    ⌶\n}\n",
        "struct Point {\n    x: f64,\n    y: f64,\n}\n\nimpl Point {\n    fn norm(&self) -> f64 {\n        ⌶\n",
        "let sum: i32 = numbers.iter().⌶;\n",
    ],
    "java": [
        "public class Counter {\n    private int count = 0;\n\n    public void increment() {\n        ⌶\n    }\n}\n",
        "public static void main(String[] args) {\n    System.out.⌶\n}\n",
    ],
    "c": [
        "#include <stdio.h>\n\nint add(int a, int b) {\n    return ⌶;\n}\n",
        "for (int i = 0; i < n; i++) {\n    sum += ⌶;\n}\n",
    ],
    "bash": [
        "#!/usr/bin/env bash\nset -euo pipefail\nfor file in *.txt; do\n  ⌶\ndone\n",
        'if [ -z "$1" ]; then\n  echo ⌶\n  exit 1\nfi\n',
    ],
    "json": [
        '{\n  "name": "sfumato",\n  "version": "0.1.0",\n  "license": ⌶\n}\n',
        '[{"id": 1, "name": "one"}, {"id": 2, "name": ⌶}, {"id": 3, "name": "three"}]\n',
    ],
    "yaml": ["services:\n  web:\n    image: nginx\n    ports:\n      - ⌶\n"],
    "html": ["<ul>\n  <li>One</li>\n  <li>⌶</li>\n  <li>Three</li>\n</ul>\n"],
    "css": ["body {\n  margin: 0;\n  font-family: ⌶;\n}\n"],
    "markdown": ["| number | square |\n|---|---|\n| 1 | 1 |\n| 2 | ⌶ |\n| 3 | 9 |\n"],
    "lua": ["local function double(x)\n  ⌶\nend\n"],
    "toml": ['[project]\nname = "demo"\nversion = ⌶\n'],
    "prose": [
        "# Größe 漢字 🖌️\n\ndef fläche(länge, breite):\n    return ⌶\n",
        "x = 1\r\ny = 2\r\nprint(x + ⌶)\r\n",
    ],
}


def real_prompts(count: int) -> list[RealPrompt]:
    """The snippets, then windows of our own files at places spread over them."""
    written = [at_cursor(language, text) for language, texts in SNIPPETS.items() for text in texts]
    return [*written, *windows(count - len(written))][:count]


def at_cursor(language: str, text: str) -> RealPrompt:
    """A text with its cursor taken out."""
    return RealPrompt(language, text.replace(CURSOR, "", 1), text.index(CURSOR))


def windows(count: int) -> list[RealPrompt]:
    """Of all sources at one fraction of their length, then at the next."""
    files = sorted([*(ROOT / "engine").rglob("*.py"), *(ROOT / "server").rglob("*.py"), *ROOT.glob("*.md")])
    texts = [(path.suffix, text) for path in files if len(text := path.read_text("utf-8")) > 2 * (BEFORE + AFTER)]
    places = product((0.5, 0.25, 0.75, 0.35, 0.65, 0.45), texts)
    return [
        window(suffix, text, int(len(text) * fraction)) for fraction, (suffix, text) in islice(places, max(count, 0))
    ]


def window(suffix: str, text: str, offset: int) -> RealPrompt:
    """Whole lines before the offset, as far as they fit, and some characters after its line."""
    start = text.rfind("\n", 0, max(offset - BEFORE, 1)) + 1
    rest = text.find("\n", offset)
    end = rest + AFTER if rest >= 0 else len(text)
    language = "markdown" if suffix == ".md" else "python"
    return RealPrompt(language, text[start:offset] + text[rest:end], offset - start)
