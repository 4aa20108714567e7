"""`sfumato models` over a hub with fake places, and once through the whole command line."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from engine import DigestError, OfflineError, UnknownModelError
from engine.hub import Hub
from server.cli import main, models
from tests.engine.hub_fakes import DATA, FakePlace, artifact, sha256


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    return Hub(tmp_path, (artifact(FakePlace()),))


def run(hub: Hub, *argv: str) -> int:
    parser = argparse.ArgumentParser()
    models.add_parser(parser.add_subparsers(), lambda: hub)
    args = parser.parse_args(["models", *argv])
    return int(args.run(args))


def test_pull_fetches_and_says_where_in_plain_lines(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(hub, "pull") == 0
    out, err = capsys.readouterr()
    assert out == f"tiny-base is ready: {hub.path_of('tiny-base')}\n"
    assert "fetching tiny-base from the first place\n" in err
    assert "fetching tiny-base: 100 % of 0 MB\nverifying tiny-base\n" in err
    assert "\x1b" not in err


def test_pull_says_when_it_goes_over_to_another_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = FakePlace(until=9), FakePlace(label="the second place")
    assert run(Hub(tmp_path, (artifact(*places),)), "pull", "tiny") == 0
    assert "the first place broke off; fetching tiny-base from the second place\n" in capsys.readouterr().err


def test_pull_without_any_place_raises_what_main_says_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(OfflineError):
        run(Hub(tmp_path, (artifact(FakePlace(until=9)),)), "pull")


def test_a_damaged_file_is_named_and_the_advice_helps(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    run(hub, "pull")
    hub.path_of("tiny-base").write_bytes(b"damaged")

    for action in ("pull", "verify"):
        with pytest.raises(DigestError, match="sfumato models rm tiny-base && sfumato models pull tiny-base"):
            run(hub, action)

    assert run(hub, "rm", "tiny-base") == 0
    assert run(hub, "pull", "tiny-base") == 0
    assert run(hub, "verify", "tiny-base") == 0
    assert f"tiny-base is right: {hub.path_of('tiny-base')} has sha256 {sha256(DATA)}" in capsys.readouterr().out


def test_list_tells_what_is_here(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    run(hub, "list")
    assert capsys.readouterr().out == (
        f"tiny-base  missing  0 MB  Apache-2.0  for tiny\n    {hub.path_of('tiny-base')}\n"
    )
    run(hub, "pull")
    capsys.readouterr()
    run(hub, "list")
    assert "tiny-base  ready  " in capsys.readouterr().out


def test_list_tells_what_has_begun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hub = Hub(tmp_path, (artifact(FakePlace(until=200_000)),))
    with pytest.raises(OfflineError):
        run(hub, "pull")
    run(hub, "list")
    assert "tiny-base  partial (0 MB)  " in capsys.readouterr().out


def test_list_as_json(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(hub, "list", "--json") == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "name": "tiny-base",
            "state": "missing",
            "path": str(hub.path_of("tiny-base")),
            "file": "tiny.bin",
            "size": len(DATA),
            "held": 0,
            "sha256": sha256(DATA),
            "licence": "Apache-2.0",
            "models": ["tiny"],
            "places": ["the first place"],
        }
    ]


def test_path_is_all_of_standard_output(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(hub, "path", "tiny-base") == 0
    out, err = capsys.readouterr()
    assert out == f"{hub.path_of('tiny-base')}\n"
    assert "not there yet" in err
    run(hub, "pull")
    capsys.readouterr()
    run(hub, "path")
    assert capsys.readouterr() == (f"{hub.path_of('tiny-base')}\n", "")


def test_rm_says_what_it_freed(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    run(hub, "pull")
    capsys.readouterr()
    assert run(hub, "rm", "tiny") == 0
    assert capsys.readouterr().out == "tiny-base is removed: 0 MB freed\n"
    assert run(hub, "rm", "tiny-base") == 0
    assert capsys.readouterr().out == "tiny-base was not here: nothing to remove\n"


def test_rm_wants_a_name(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(hub, "rm")
    assert caught.value.code == 2


@pytest.mark.parametrize("action", ["pull", "verify", "path", "rm"])
def test_an_unknown_name_is_refused(hub: Hub, action: str) -> None:
    with pytest.raises(UnknownModelError, match="known: tiny-base"):
        run(hub, action, "huge")


@pytest.mark.parametrize("argv", [["verify"], ["pull", "huge"], ["rm", "huge"]])
def test_the_command_line_says_errors_in_one_line(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", *argv]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("sfumato: ")
    assert err.count("\n") == 1


def test_a_cache_that_cannot_be_is_one_line_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SFUMATO_HOME", str(tmp_path / "file"))
    for argv in (["list"], ["pull"], ["path"], ["rm", "embedded-base"]):
        assert main(["models", *argv]) == 1
        err = capsys.readouterr().err
        assert err.startswith("sfumato: cannot use ")
        assert err.count("\n") == 1
