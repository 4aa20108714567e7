"""The VS Code extension declares the server's settings, has its lock file in order, and compiles."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.settings import Settings, camel_case

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
PACKAGE: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))


def test_every_setting_of_the_server_is_declared_with_its_default() -> None:
    own, server = (section["properties"] for section in PACKAGE["contributes"]["configuration"])
    defaults = json.loads(msgspec.json.encode(Settings()))
    assert own["sfumato.command"]["default"] == ["sfumato", "serve"]
    assert {key: setting["default"] for key, setting in server.items()} == {
        f"sfumato.{camel_case(name)}": value for name, value in defaults.items()
    }


def test_every_command_is_declared_and_none_takes_a_name_of_the_server() -> None:
    source = (EXTENSION / "src" / "extension.ts").read_text(encoding="utf-8")
    declared = {command["command"] for command in PACKAGE["contributes"]["commands"]}
    assert declared == set(re.findall(r'registerCommand\("([\w.]+)"', source))
    assert not declared & {"sfumato.rewrite", "sfumato.fillHoles", "sfumato.debugInformation"}


def test_what_answers_a_preview_stands_on_it_as_long_as_it_is_open() -> None:
    """A notification hides itself; the title of the diff does not."""
    menus = PACKAGE["contributes"]["menus"]
    source = (EXTENSION / "src" / "extension.ts").read_text(encoding="utf-8")
    answers = set(re.findall(r'registerCommand\("([\w.]+)", .*previews\.answer\(', source))
    scheme = re.search(r'SCHEME = "([\w-]+)"', (EXTENSION / "src" / "preview.ts").read_text(encoding="utf-8"))
    assert scheme is not None
    assert len(answers) == 3
    assert {item["command"] for item in menus["editor/title"]} == answers
    only = [item for menu in menus.values() for item in menu if item["command"] in answers]
    assert {item["when"] for item in only} == {f"resourceScheme == {scheme[1]}"}
    icons = {command["command"] for command in PACKAGE["contributes"]["commands"] if "icon" in command}
    assert icons == answers


def test_the_lock_file_names_no_address_of_a_registry() -> None:
    lock = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    packages = [package for name, package in lock["packages"].items() if name]
    assert all("resolved" not in package and "integrity" in package for package in packages)
    assert lock["packages"][""]["devDependencies"] == PACKAGE["devDependencies"]


@pytest.mark.slow
def test_it_compiles(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm")
    built = shutil.ignore_patterns("node_modules", "dist", "*.vsix")
    copy = shutil.copytree(EXTENSION, tmp_path / "vscode", ignore=built)
    for arguments in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
        done = subprocess.run([npm, *arguments], cwd=copy, capture_output=True, text=True, timeout=300, check=False)
        if arguments[0] == "ci" and "network" in done.stderr:
            pytest.skip("npm does not reach its registry")
        assert done.returncode == 0, done.stdout + done.stderr
    assert (copy / "dist" / "extension.js").stat().st_size > 0
