"""What is generated from the settings is what is committed, and says of each setting all that there is to say."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from server.settings import Settings, parse_settings
from server.settings_reference import REFERENCE, SCHEMA, VSCODE, settings_schema, written

ROOT = Path(__file__).parents[2]
PROPERTIES = settings_schema()["properties"]


@pytest.mark.parametrize("name", [REFERENCE, SCHEMA, VSCODE])
def test_what_is_committed_is_what_the_schema_says(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == written(ROOT)[name], "run scripts/generate and commit"


@pytest.mark.parametrize("key", PROPERTIES)
def test_a_setting_has_a_sentence_a_default_that_is_read_back_and_a_range(key: str) -> None:
    property_ = PROPERTIES[key]
    assert property_["description"].endswith(".")
    assert parse_settings({key: property_["default"]}) == (Settings(), [])
    if property_["type"] == "integer":
        assert property_["unit"]
        assert parse_settings({key: property_["maximum"]})[1] == []
        assert len(parse_settings({key: property_["maximum"] + 1})[1]) == 1
        assert len(parse_settings({key: property_["minimum"] - 1})[1]) == 1


def test_writing_again_changes_nothing_and_keeps_what_people_wrote(tmp_path: Path) -> None:
    for name in (REFERENCE, SCHEMA, VSCODE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    with (tmp_path / REFERENCE).open("a") as reference:
        reference.write("a sentence\n")
    package = json.loads((tmp_path / VSCODE).read_text())
    package["contributes"]["configuration"][0]["properties"]["sfumato.more"] = {"default": 1}
    del package["contributes"]["configuration"][1]["properties"]["sfumato.model"]
    (tmp_path / VSCODE).write_text(json.dumps(package))
    for _ in range(2):
        subprocess.run([sys.executable, "-m", "server.settings_reference", tmp_path], cwd=ROOT, check=True, timeout=60)
    assert (tmp_path / REFERENCE).read_text() == (ROOT / REFERENCE).read_text() + "a sentence\n"
    own, server = json.loads((tmp_path / VSCODE).read_text())["contributes"]["configuration"]
    assert own["properties"]["sfumato.more"] == {"default": 1}
    assert "sfumato.model" in server["properties"]
