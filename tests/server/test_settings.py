from __future__ import annotations

import pytest

from server.settings import Settings, parse_settings


@pytest.mark.parametrize("raw", [None, {}, {"sfumato": None}, {"sfumato": {}}])
def test_nothing_set_is_fine(raw: object) -> None:
    assert parse_settings(raw) == (Settings(), [])


def test_both_spellings_and_the_section_are_read() -> None:
    settings, problems = parse_settings({"sfumato": {"maxTokens": 9, "rewrite_max_tokens": 10, "exclude": ["*.sql"]}})
    assert problems == []
    assert (settings.max_tokens, settings.rewrite_max_tokens, settings.exclude) == (9, 10, ("*.sql",))


def test_a_bad_key_is_named_and_the_rest_holds() -> None:
    settings, problems = parse_settings({"max_tokens": "512", "steps": -1, "model": 12, "threads": 1, "multiLine": 1})
    assert settings == Settings(threads=1)
    assert [problem.split(":")[0] for problem in problems] == ["max_tokens", "steps", "model", "multiLine"]


def test_an_unknown_key_is_told_what_was_meant() -> None:
    problems = parse_settings({"maxToken": 9, "tabsize": 2, "colour": 1})[1]
    assert [problem.partition(": ")[2] for problem in problems] == [
        "no such setting; did you mean maxTokens?",
        "no such setting; did you mean tabSize?",
        "no such setting",
    ]


@pytest.mark.parametrize("key", ["threads", "completionDeadlineMs", "promptTokens", "candidates", "tabSize"])
def test_numbers_out_of_range_are_refused(key: str) -> None:
    settings, problems = parse_settings({key: -1})
    assert settings == Settings()
    assert problems[0].startswith(f"{key}: ")


@pytest.mark.parametrize("raw", ["fast", 3, []])
def test_settings_that_are_no_object(raw: object) -> None:
    settings, problems = parse_settings(raw)
    assert settings == Settings()
    assert "must be an object" in problems[0]


def test_what_is_left_out_comes_from_the_given_defaults() -> None:
    initial = Settings(model="causal", threads=2)
    assert parse_settings({"threads": 4, "steps": 1}, initial)[0] == Settings(model="causal", threads=4)
    assert parse_settings(None, initial)[0] is initial
