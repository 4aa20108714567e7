"""Imports that name files of the workspace, and only those."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.imports import imported_files
from server.snapshot import Snapshot

FILES = (
    *("app/main.py", "app/shop/__init__.py", "app/shop/cart.py", "app/shop/order.py", "lib.py"),
    *("web/page.ts", "web/cart.ts", "web/parts/index.tsx", "web/old.js", "c/main.c", "c/list.h", "outside.py"),
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / "w" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "w" / name).write_text("")
    (tmp_path / "secret.py").write_text("")
    return tmp_path / "w"


def imported(workspace: Path, name: str, language: str, text: str) -> list[str]:
    snapshot = Snapshot((workspace / name).as_uri(), language, 1, text)
    return [file.relative_to(workspace).as_posix() for file in imported_files(snapshot, (workspace,))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from .cart import Cart\n", ["app/shop/cart.py"]),
        ("from . import cart\n", []),
        ("from ..main import run\n", ["app/main.py"]),
        ("from shop.cart import Cart\nimport lib\n", ["app/shop/cart.py", "lib.py"]),
        ("from app.shop import Cart\n", ["app/shop/__init__.py"]),
        ("import os, lib\nimport numpy as np\n", []),
        ("    from .cart import Cart  # late\n", ["app/shop/cart.py"]),
        ("from ......far import x\nfrom ...secret import x\nimport secret\n", []),
    ],
)
def test_python(workspace: Path, text: str, expected: list[str]) -> None:
    assert imported(workspace, "app/shop/order.py", "python", text) == expected


def test_scripts(workspace: Path) -> None:
    text = 'import { a } from "./cart";\nimport b from "./parts"\nconst c = require("./old.js");\nimport "react";\n'
    text += 'export * from "./cart.js"\nimport x from "../../secret"\n'
    files = imported(workspace, "web/page.ts", "typescript", text)
    assert files == ["web/cart.ts", "web/parts/index.tsx", "web/old.js", "web/cart.ts"]


def test_includes(workspace: Path) -> None:
    assert imported(workspace, "c/main.c", "c", '#include <stdio.h>\n#include "list.h"\n') == ["c/list.h"]


def test_a_document_without_a_file_imports_none(workspace: Path) -> None:
    for uri in ("untitled:a", f"git:{workspace}/app/shop/order.py"):
        assert not [*imported_files(Snapshot(uri, "python", 1, "from .cart import Cart\n"), (workspace,))]
    unknown = Snapshot((workspace / "a.go").as_uri(), "go", 1, 'import "./cart"')
    assert not [*imported_files(unknown, (workspace,))]
