"""Strategies by name: every one can be chosen, and what is wrong is said with what would be right."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from engine.config import STRATEGIES, EngineConfig
from engine.denoise import Strategies
from engine.errors import ConfigError
from engine.remask import InsertDelete, Renoise
from engine.sampler import TopP
from engine.schedule import Linear
from engine.stopping import StableAndConfident
from engine.strategies import KNOWN, chosen, none_chosen
from engine.unmask import EntropyBound

FAMILY = Strategies(Linear(), TopP(), EntropyBound(), Renoise(), StableAndConfident())
TOKENS = {"expand": 7, "delete": 8}


def test_the_settings_and_their_names_are_those_that_can_be_made() -> None:
    assert {setting: tuple(names) for setting, names in KNOWN.items()} == dict(STRATEGIES)
    assert set(STRATEGIES) == {field.name for field in fields(Strategies)}


@pytest.mark.parametrize(
    ("setting", "name"), [(setting, name) for setting in STRATEGIES for name in STRATEGIES[setting]]
)
def test_every_name_makes_its_strategy(setting: str, name: str) -> None:
    made = replace(FAMILY, **chosen(EngineConfig.from_mapping({setting: name}), TOKENS))
    assert type(getattr(made, setting)) is KNOWN[setting][name]
    assert all(getattr(made, other) == getattr(FAMILY, other) for other in STRATEGIES if other != setting)


def test_without_a_setting_the_family_decides() -> None:
    assert chosen(EngineConfig()) == chosen(EngineConfig(unmask=" ")) == {}


def test_parameters_are_taken() -> None:
    config = EngineConfig(
        unmask="entropy_bound bound=0.3", schedule="linear steps=16 low=0.2", remask="insert_delete most=9"
    )
    made = {"unmask": EntropyBound(0.3), "schedule": Linear(16, 0.8, 0.2), "remask": InsertDelete(7, 8, most=9)}
    assert chosen(config, TOKENS) == made


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unmask": "entropybound"}, "unknown unmask 'entropybound'; known: confident, entropy_bound, klass, top_k"),
        ({"stopping": "always"}, "unknown stopping 'always'; known: never, stable_and_confident, early_commit"),
        ({"unmask": "top_k number=2"}, "unmask top_k has no parameter 'number'; it takes: count"),
        ({"remask": "keep at=2"}, "remask keep has no parameter 'at'; it takes: none"),
        ({"remask": "insert_delete expand=2"}, "has no parameter 'expand'; it takes: threshold, most"),
        ({"unmask": "top_k count=two"}, "unmask top_k: count is 'two'; use a whole number"),
        ({"unmask": "top_k count=1.5"}, "unmask top_k: count is '1.5'; use a whole number"),
        ({"unmask": "confident threshold"}, "unmask confident: threshold is ''; use a number"),
        ({"unmask": "confident threshold=-1"}, "unmask confident: threshold is -1; use no less than 0"),
        ({"schedule": "linear steps=0"}, "schedule linear: steps is 0; use 1 or more"),
    ],
)
def test_what_is_wrong_is_said_with_what_is_right(settings: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        chosen(EngineConfig.from_mapping(settings), TOKENS)
    assert message in str(error.value)


def test_a_model_without_length_tokens_cannot_insert() -> None:
    with pytest.raises(ConfigError, match="needs the tokens expand, delete, which this model has not"):
        chosen(EngineConfig(remask="insert_delete"))


def test_a_model_that_drafts_takes_none() -> None:
    none_chosen(EngineConfig(precision="int8"))
    with pytest.raises(ConfigError, match="sampler says how a canvas is denoised, and embedded writes drafts"):
        none_chosen(EngineConfig(sampler="greedy"))
