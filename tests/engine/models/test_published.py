"""A DiffusionGemma from a folder or the Hub, through the engine's front door: what comes back is the hole's text."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

import engine
from engine import Cancelled, CancelToken, Drafts, EngineConfig, Hole, InfillRequest, Mode, RequestError, RewriteRequest
from engine.errors import ConfigError, ModelError
from engine.hub.repository import Repository
from engine.models.checkpoint import WANTED
from engine.models.published import find, free_memory
from engine.request import Progress, StopReason

from ..hub_fakes import Sink
from ..test_hub_repository import FakeHub, hub_server
from .small_gemma import CANVAS, settings, write_checkpoint

TEXT = "def f(x):\n    return x\n\nprint(f(1))\n"
AT = TEXT.index("x\n\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("checkpoint"), settings(4))


@pytest.fixture(scope="module")
def opened(folder: Path) -> engine.Engine:
    return engine.open_engine(EngineConfig(model=str(folder)))


def test_what_was_opened_is_told(opened: engine.Engine, folder: Path) -> None:
    info = dict(opened.info)
    assert (info["model"], info["family"], info["precision"]) == (str(folder), "diffusion_gemma", "float32")
    assert (info["device"], info["file"], info["revision"]) == ("the CPU", str(folder), "not told")
    assert info["canvas"] == f"{CANVAS} positions, at most 4 steps"
    assert info["memory"].startswith("loading in float32: ")


def test_the_settings_say_how_it_denoises(folder: Path) -> None:
    settings = {"model": str(folder), "schedule": "constant steps=3", "sampler": "greedy"}
    opened = engine.open_engine(EngineConfig.from_mapping(settings))
    assert opened.info["canvas"] == f"{CANVAS} positions, at most 3 steps"
    with pytest.raises(ConfigError, match="needs the tokens expand, delete"):
        engine.open_engine(EngineConfig(model=str(folder), remask="insert_delete"))


def test_one_hole_comes_back_without_what_is_pinned(opened: engine.Engine) -> None:
    """The prefix ends inside a line, so its last token is written again; the suffix is pinned at the tail."""
    steps: list[Progress] = []
    result = opened.infill(InfillRequest(TEXT, (Hole(AT, AT + 1),), language="python"), progress=steps.append)
    [candidate] = result.candidates
    assert result.mode is Mode.JOINT
    assert candidate.stop_reason in (StopReason.STEPS, StopReason.END)
    assert 3 <= result.usage.forwards <= 6  # one or two for the lengths, at most four of its own
    assert 0 < result.usage.tokens <= CANVAS
    assert 1 < len(steps) < result.usage.forwards
    assert steps[-1].text.startswith(candidate.texts[0])  # of which a character cut off at the end is left out
    assert len(steps[-1].holes) == 1
    again = opened.infill(InfillRequest(TEXT, (Hole(AT, AT + 1),), language="python"))
    assert again.candidates == result.candidates
    assert again.usage.reused_tokens == again.usage.prompt_tokens
    other = opened.infill(InfillRequest(TEXT, (Hole(AT, AT + 1),), language="python", seed=5))
    assert other.candidates != result.candidates


def test_candidates_are_distinct_and_sorted_by_errors(opened: engine.Engine) -> None:
    request = InfillRequest(TEXT, (Hole(AT, AT),), candidates=3, max_tokens=8)
    result = opened.infill(request, check=lambda texts: len(texts[0].encode()) % 5)
    texts = [one.texts[0] for one in result.candidates]
    assert len(texts) == len(set(texts)) > 1
    errors = [len(text.encode()) % 5 for text in texts]
    assert errors == sorted(errors)


def test_several_holes_on_one_canvas_and_too_far_apart_for_one(opened: engine.Engine) -> None:
    near, far = "a = \nb = \n", f"a = \n{'c' * 40}\nb = \n"
    for text, forwards in ((near, (4, 5, 6)), (far, range(8, 13))):
        holes = (Hole(4, 4), Hole(len(text) - 1, len(text) - 1))
        result = opened.infill(InfillRequest(text, holes, max_tokens=4))
        [candidate] = result.candidates
        assert len(candidate.texts) == 2
        assert result.usage.forwards in forwards


def test_one_line_ends_before_the_first_line_end(opened: engine.Engine) -> None:
    for seed in range(6):
        [one] = opened.infill(InfillRequest(TEXT, (Hole(AT, AT + 1, one_line=True),), seed=seed)).candidates
        assert not {"\n", "\r"} & set(one.texts[0])


def test_a_rewrite_goes_on_canvas_after_canvas(opened: engine.Engine) -> None:
    seen: list[Progress] = []
    request = RewriteRequest(TEXT, 0, len(TEXT), "Add a docstring", language="python", max_tokens=40)
    result = opened.rewrite(request, progress=seen.append)
    assert result.stop_reason in (StopReason.LENGTH, StopReason.END)
    assert result.usage.tokens <= 40
    assert {progress.stage for progress in seen} == {"denoise"}
    assert len(seen) == result.usage.forwards
    assert opened.rewrite(request).text == result.text
    assert (
        opened.rewrite(RewriteRequest(TEXT, 0, 9, "Say it", attempt=1)).text
        != opened.rewrite(RewriteRequest(TEXT, 0, 9, "Say it")).text
    )


def test_a_repair_is_taken_if_it_has_fewer_errors(opened: engine.Engine) -> None:
    request = RewriteRequest(TEXT, 0, 9, "Say it", max_tokens=8)
    plain = opened.rewrite(request).text
    assert opened.rewrite(request, check=lambda texts: 1 if texts[0] == plain else 0).text != plain
    assert opened.rewrite(request, check=len).text == plain


def test_a_cancel_is_read_at_every_step(opened: engine.Engine) -> None:
    for steps in (1, 3):
        cancel, seen = CancelToken(), []

        def count(
            progress: Progress, cancel: CancelToken = cancel, seen: list[Progress] = seen, at: int = steps
        ) -> None:
            seen.append(progress)
            if len(seen) == at:
                cancel.cancel()

        with pytest.raises(Cancelled):
            opened.rewrite(RewriteRequest(TEXT, 0, 9, "Say it"), cancel=cancel, progress=count)
        assert len(seen) == steps
    cancelled = CancelToken()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        opened.infill(InfillRequest(TEXT, (Hole(AT, AT),)), cancel=cancelled)


def test_a_deadline_gives_what_there_is(opened: engine.Engine) -> None:
    [one] = opened.infill(InfillRequest(TEXT, (Hole(AT, AT),), deadline_s=0.0)).candidates
    assert (one.texts, one.stop_reason) == (("",), StopReason.DEADLINE)
    late = opened.rewrite(RewriteRequest(TEXT, 0, 9, "Say it", deadline_s=0.0))
    assert (late.text, late.stop_reason) == ("", StopReason.DEADLINE)


def test_lossless_is_refused_and_so_is_nonsense(opened: engine.Engine) -> None:
    with pytest.raises(RequestError, match="no causal reading to be lossless against; use joint"):
        opened.infill(InfillRequest(TEXT, (Hole(0, 0),), mode=Mode.LOSSLESS))
    with pytest.raises(RequestError, match="lies outside the text"):
        opened.infill(InfillRequest(TEXT, (Hole(0, 999),)))
    with pytest.raises(RequestError, match="the instruction is empty"):
        opened.rewrite(RewriteRequest(TEXT, 0, 1, " "))
    with pytest.raises(RequestError, match="seeds its canvas with the selection; it takes no other drafts"):
        opened.rewrite(RewriteRequest(TEXT, 0, 9, "Say it", drafts=Drafts.LOOKUP))


def copied(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to / "copy"))


def test_code_beside_the_weights_is_never_run(folder: Path, tmp_path: Path) -> None:
    """Named by config, tokenizer and template alike; it would leave a file."""
    mine, trace = copied(folder, tmp_path), tmp_path / "trace"
    code = f"open({str(trace)!r}, 'w').close()\n"
    for name in ("modeling_evil.py", "configuration_evil.py", "tokenization_evil.py", "__init__.py"):
        (mine / name).write_text(code + "class Evil:\n    pass\n")
    for name in ("config.json", "tokenizer_config.json", "generation_config.json"):
        told = json.loads((mine / name).read_text())
        told["auto_map"] = {
            "AutoConfig": "configuration_evil.Evil",
            "AutoModel": "modeling_evil.Evil",
            "AutoTokenizer": ["tokenization_evil.Evil", "tokenization_evil.Evil"],
        }
        if name != "generation_config.json":
            (mine / name).write_text(json.dumps(told))
    opened = engine.open_engine(EngineConfig(model=str(mine)))
    opened.infill(InfillRequest(TEXT, (Hole(AT, AT),), max_tokens=4))
    assert not trace.exists()


def test_a_pickle_is_refused_though_transformers_would_read_it(folder: Path, tmp_path: Path) -> None:
    mine = copied(folder, tmp_path)
    (mine / "model.safetensors").unlink()
    torch.save({}, mine / "pytorch_model.bin")
    with pytest.raises(ModelError, match="a format that can run code when it is read"):
        engine.open_engine(EngineConfig(model=str(mine)))


def test_damaged_or_missing_weights(folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    mine = copied(folder, tmp_path)
    weights = load_file(mine / "model.safetensors")
    del weights["model.decoder.layers.1.self_attn.q_proj.weight"]
    save_file(weights, mine / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=r"lacks weights, model\.\S+q_proj\.weight among them"):
        engine.open_engine(EngineConfig(model=str(mine)))
    (mine / "model.safetensors").write_bytes(b"x" * 100)
    with pytest.raises(ModelError, match="cannot be loaded: "):
        engine.open_engine(EngineConfig(model=str(mine)))


def test_a_config_that_is_not_one(folder: Path, tmp_path: Path) -> None:
    mine = copied(folder, tmp_path)
    told = json.loads((mine / "config.json").read_text())
    told["text_config"]["num_hidden_layers"] = "many"
    (mine / "config.json").write_text(json.dumps(told))
    with pytest.raises(ModelError, match="is not one of a diffusion_gemma"):
        engine.open_engine(EngineConfig(model=str(mine)))


@pytest.mark.parametrize("precision", ["fp8", "int8"])
def test_a_form_that_a_cpu_has_not(folder: Path, precision: str) -> None:
    with pytest.raises(ModelError, match=f"precision {precision} is not offered on the CPU: use float32, bfloat16"):
        engine.open_engine(EngineConfig(model=str(folder), precision=precision))


def test_compiling_is_for_a_gpu(folder: Path) -> None:
    with pytest.raises(ModelError, match="compiled is for a GPU"):
        engine.open_engine(EngineConfig(model=str(folder), compiled=True))


def test_half_precision_works(folder: Path) -> None:
    opened = engine.open_engine(EngineConfig(model=str(folder), precision="bfloat16"))
    assert opened.info["precision"] == "bfloat16"
    assert opened.infill(InfillRequest(TEXT, (Hole(AT, AT),), max_tokens=8)).candidates


def published(folder: Path, **more: bytes) -> FakeHub:
    return FakeHub({path.name: path.read_bytes() for path in folder.iterdir()} | {"code.py": b"raise"} | more)


def test_it_is_fetched_from_the_hub_and_found_there_again(folder: Path, tmp_path: Path) -> None:
    hub, config = published(folder), EngineConfig(model="owner/tiny")
    with hub_server(hub) as endpoint:
        repository = Repository("owner/tiny", WANTED, tmp_path, endpoint)
        checkpoint = find(config, Sink(), repository)
    assert "code.py" not in hub.asked
    assert not (checkpoint.folder / "code.py").exists()
    assert find(config, Sink(), repository) == checkpoint  # without the server
    assert checkpoint.chat_template


def test_what_cannot_be_used_is_not_fetched(folder: Path, tmp_path: Path) -> None:
    """An unknown architecture, pickles, and a model larger than the memory: told from the config and the names."""
    told = json.loads((folder / "config.json").read_text())
    large = json.loads((folder / "config.json").read_text())
    large["text_config"] |= {"num_experts": 4000, "hidden_size": 4096, "moe_intermediate_size": 4096}
    cases = {
        "which is not known; known: diffusion_gemma": {"config.json": json.dumps(told | {"model_type": "x"}).encode()},
        r"on the CPU: float32 needs [\d.]+ GiB where [\d.]+ GiB are free": {"config.json": json.dumps(large).encode()},
    }
    for says, files in cases.items():
        hub = published(folder)
        hub.files |= files
        with hub_server(hub) as endpoint, pytest.raises(ModelError, match=says):
            find(EngineConfig(model="owner/tiny"), Sink(), Repository("owner/tiny", WANTED, tmp_path, endpoint))
        assert set(hub.asked) <= {"config.json"}
    hub = published(folder, **{"model.bin": b"x"})
    del hub.files["model.safetensors"]
    with hub_server(hub) as endpoint, pytest.raises(ModelError, match=r"has its weights as model\.bin"):
        find(EngineConfig(model="owner/tiny"), Sink(), Repository("owner/tiny", WANTED, tmp_path, endpoint))
    assert hub.asked == []


def test_free_memory_is_read_where_it_is_told(tmp_path: Path) -> None:
    told = tmp_path / "meminfo"
    told.write_text("MemTotal: 9 kB\nMemAvailable:   2048 kB\n")
    assert free_memory(told) == 2 << 20
    assert free_memory(tmp_path / "none") is None
