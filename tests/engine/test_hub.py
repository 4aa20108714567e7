"""The hub as its callers see it, with fake places."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import ArtifactError, DigestError, OfflineError, Progress, StorageError, UnknownModelError
from engine.hub import ARTIFACTS, Hub, State, open_hub
from engine.hub.disk import locked

from .hub_fakes import DATA, FakePlace, Sink, artifact, sha256


def make_hub(tmp_path: Path, *places: FakePlace) -> Hub:
    return Hub(tmp_path / "home", (artifact(*places),))


def put(hub: Hub, data: bytes) -> Path:
    """What a user does who copies the file by hand."""
    path = hub.path_of("tiny-base")
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return path


def nothing(folder: Path) -> None:
    """Make nothing of an artifact."""


def part_of(hub: Hub) -> Path:
    return hub.path_of("tiny-base").parent / "incoming" / "tiny.bin.part"


def test_fetch_brings_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    hub = make_hub(tmp_path, FakePlace())
    sink = Sink()

    path = hub.fetch("tiny-base", sink)

    assert path.read_bytes() == DATA
    assert [entry.name for entry in path.parent.iterdir()] == ["tiny.bin"]
    assert Progress("download", len(DATA), len(DATA)) in sink.seen
    assert sink.said == ["fetching tiny-base from the first place"]


def test_a_model_s_name_stands_for_its_file(tmp_path: Path) -> None:
    hub = make_hub(tmp_path, FakePlace())
    assert hub.path_of("tiny") == hub.path_of("tiny-base")


def test_an_unknown_name_is_said_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownModelError, match=r"'huge'; known: tiny-base"):
        make_hub(tmp_path).fetch("huge")


def test_a_second_fetch_asks_no_place_and_reads_nothing(tmp_path: Path) -> None:
    place = FakePlace()
    hub = make_hub(tmp_path, place)
    hub.fetch("tiny-base")
    sink = Sink()

    hub.fetch("tiny-base", sink)

    assert place.asked == 1
    assert sink.seen == []


def test_a_place_that_fails_is_left_for_the_next_which_goes_on_from_there(tmp_path: Path) -> None:
    first, second = FakePlace(until=1000), FakePlace(label="the second place")
    sink = Sink()

    make_hub(tmp_path, first, second).fetch("tiny-base", sink)

    assert second.started_at == [1000]
    assert sink.said[-1] == "the first place broke off; fetching tiny-base from the second place"


def test_offline_says_why_and_what_to_copy_where(tmp_path: Path) -> None:
    hub = make_hub(tmp_path, FakePlace(until=10), FakePlace(label="the second place", until=20))

    with pytest.raises(OfflineError) as caught:
        hub.fetch("tiny-base")

    message = str(caught.value)
    assert "the first place broke off; the second place broke off" in message
    assert f"copy tiny.bin (307,200 bytes, sha256 {sha256(DATA)}) to {hub.path_of('tiny-base')}" in message
    assert "\n" not in message
    assert not hub.path_of("tiny-base").exists()
    assert hub.status("tiny-base").state is State.PARTIAL
    assert hub.status("tiny-base").held == 20


def test_wrong_bytes_are_refused_with_both_digests_and_not_kept(tmp_path: Path) -> None:
    wrong = DATA[:-1] + b"!"
    hub = make_hub(tmp_path, FakePlace(wrong))

    with pytest.raises(DigestError) as caught:
        hub.fetch("tiny-base")

    for fact in ("tiny.bin", sha256(wrong), sha256(DATA)):
        assert fact in str(caught.value)
    assert hub.status("tiny-base").state is State.MISSING


def test_after_wrong_bytes_the_next_place_may_be_right(tmp_path: Path) -> None:
    path = make_hub(tmp_path, FakePlace(b"x" * len(DATA)), FakePlace()).fetch("tiny-base")
    assert path.read_bytes() == DATA


def test_a_damaged_beginning_is_fetched_anew(tmp_path: Path) -> None:
    place = FakePlace()
    hub = make_hub(tmp_path, place)
    part_of(hub).parent.mkdir(parents=True)
    part_of(hub).write_bytes(b"damaged")
    sink = Sink()

    path = hub.fetch("tiny-base", sink)

    assert path.read_bytes() == DATA
    assert place.started_at == [7, 0]
    assert sink.said[-1] == "what an earlier try had left of tiny-base is damaged; fetching it anew"


def test_a_beginning_longer_than_the_file_is_fetched_anew(tmp_path: Path) -> None:
    hub = make_hub(tmp_path, FakePlace())
    part_of(hub).parent.mkdir(parents=True)
    part_of(hub).write_bytes(DATA + b"more")
    assert hub.fetch("tiny-base").read_bytes() == DATA


def test_a_file_copied_by_hand_is_verified_and_used(tmp_path: Path) -> None:
    place = FakePlace()
    hub = make_hub(tmp_path, place)
    path = put(hub, DATA)
    assert hub.status("tiny-base").state is State.UNVERIFIED

    assert hub.fetch("tiny-base") == path

    assert place.asked == 0
    assert hub.status("tiny-base").state is State.READY


def test_a_wrong_file_copied_by_hand_is_named_and_left_alone(tmp_path: Path) -> None:
    hub = make_hub(tmp_path, FakePlace())
    path = put(hub, b"something else")

    with pytest.raises(DigestError) as caught:
        hub.fetch("tiny-base")

    assert str(path) in str(caught.value)
    assert sha256(b"something else") in str(caught.value)
    assert "sfumato models rm tiny-base && sfumato models pull tiny-base" in str(caught.value)
    assert path.read_bytes() == b"something else"
    assert hub.status("tiny-base").state is State.DAMAGED


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    hub = make_hub(tmp_path, FakePlace())
    path = hub.fetch("tiny-base")
    before = path.stat()
    with path.open("r+b") as file:
        file.write(b"!")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # even where the time of the change is hidden

    with pytest.raises(DigestError):
        hub.fetch("tiny-base")


def test_verify_reads_the_file_whatever_is_remembered(tmp_path: Path) -> None:
    hub = make_hub(tmp_path, FakePlace())
    path = hub.fetch("tiny-base")
    sink = Sink()

    assert hub.verify("tiny-base", sink) == path

    assert sink.seen[-1] == Progress("verify", len(DATA), len(DATA))
    path.write_bytes(b"x")
    with pytest.raises(DigestError):
        hub.verify("tiny-base")


def test_verify_of_what_is_not_here_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="fetch it with: sfumato models pull tiny-base"):
        make_hub(tmp_path).verify("tiny-base")


def test_remove_takes_the_file_its_beginnings_and_what_was_made_of_it(tmp_path: Path) -> None:
    hub = make_hub(tmp_path, FakePlace())
    hub.fetch("tiny-base")
    part_of(hub).parent.mkdir(parents=True)
    part_of(hub).write_bytes(b"12345")
    made = hub.derived(sha256(DATA), "copy-v1", nothing)

    freed = hub.remove("tiny-base")

    assert freed >= len(DATA) + 5
    assert not made.exists()
    assert not hub.path_of("tiny-base").parent.exists()
    assert list((hub.home / "digests").iterdir()) == []
    assert hub.remove("tiny-base") == 0


def test_what_another_process_works_on_is_not_removed(tmp_path: Path) -> None:
    hub = make_hub(tmp_path, FakePlace())
    hub.fetch("tiny-base")
    (lock,) = (hub.home / "locks").iterdir()

    with (
        locked(lock, lambda: None),
        pytest.raises(ArtifactError, match="another process is fetching or converting tiny-base"),
    ):
        hub.remove("tiny-base")

    assert hub.path_of("tiny-base").exists()


def test_a_progress_sink_that_raises_stops_the_fetch_and_keeps_what_came(tmp_path: Path) -> None:
    place = FakePlace()
    hub = make_hub(tmp_path, place)

    def stop(progress: Progress) -> None:
        if progress.done == progress.total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hub.fetch("tiny-base", stop)

    assert hub.status("tiny-base").held == len(DATA)
    hub.fetch("tiny-base")
    assert place.started_at == [0, len(DATA)]


def test_no_room_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    place = FakePlace()
    tiny = artifact(place)
    huge = type(tiny)("huge", "huge.bin", 1 << 60, tiny.sha256, "", (), tiny.places)

    with pytest.raises(StorageError, match=r"1,152,921,504,606,846,976 bytes are needed in .* set SFUMATO_HOME"):
        Hub(tmp_path, (huge,)).fetch("huge")

    assert place.asked == 0


def test_a_file_where_the_cache_folder_should_be_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder")
    hub = make_hub(tmp_path, FakePlace())
    for act in (hub.fetch, hub.verify, hub.remove):
        with pytest.raises((StorageError, ArtifactError)) as caught:
            act("tiny-base")
        assert str(tmp_path / "home") in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o500)
    with pytest.raises(StorageError, match="no permission to write"):
        make_hub(tmp_path, FakePlace()).fetch("tiny-base")


def test_a_digest_of_any_file_is_remembered(tmp_path: Path) -> None:
    hub = make_hub(tmp_path)
    file = tmp_path / "own.gguf"
    file.write_bytes(b"own")
    sink = Sink()

    assert hub.digest_of(file, sink) == hub.digest_of(file, sink) == sha256(b"own")

    assert len(sink.seen) == 1
    with pytest.raises(StorageError, match="absent"):
        hub.digest_of(tmp_path / "absent")


def test_the_hub_lies_where_sfumato_home_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_HOME", str(tmp_path / "elsewhere"))
    hub = open_hub()
    assert hub.home == tmp_path / "elsewhere"
    assert hub.path_of("embedded").is_relative_to(hub.home)
    monkeypatch.delenv("SFUMATO_HOME")
    assert open_hub().home.name.lower() in {"sfumato", "cache"}


def test_the_catalogue_is_sound() -> None:
    for known in ARTIFACTS:
        assert len(known.sha256) == 64
        assert known.sha256 == known.sha256.lower()
        assert known.places
    (base,) = ARTIFACTS
    wheels = base.places[1].wheels  # type: ignore[attr-defined]
    assert sum(wheel.size for wheel in wheels) == base.size


def test_the_hub_needs_no_torch() -> None:
    code = "import sys, engine.hub; sys.exit('torch' in sys.modules or 'huggingface_hub' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
