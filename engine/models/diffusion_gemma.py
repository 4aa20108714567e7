"""DiffusionGemma: transformers' classes behind `CanvasModel`. A causal encoder's KV, and a decoder that reads it.

The weights of both are the same; the decoder is conditioned on its own last guess. Canvases may have any length and are
read in one batch. Nothing of a checkpoint but its data gets here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from transformers import DiffusionGemmaForBlockDiffusion

from ..cancel import NO_DEADLINE, CancelToken, Deadline
from ..canvas import Noise, Uniform
from ..errors import ModelError
from ..kv_cache import common_prefix
from ..threads import Threads
from ..tokenizer import Tokenizer
from .base import Shown
from .encoder_kv import keys_and_values, new_cache, repeated

PROMPT_CHUNK = 512  # tokens between two looks at the cancel token; a canvas goes in one piece


class DiffusionGemma:
    """`base.CanvasModel`. `backend`: what torch compiles the decoder with, if with anything.

    Raises `ModelError` for weights that cannot be read this way, or when memory runs out.
    """

    def __init__(
        self,
        body: DiffusionGemmaForBlockDiffusion,
        tokenizer: Tokenizer,
        ends: frozenset[int],
        threads: int = 1,
        backend: str = "",
    ) -> None:
        text = body.config.get_text_config()
        if text.use_bidirectional_attention == "all":
            raise ModelError("its encoder reads the prompt both ways, so nothing of it could be kept; not supported")
        self._body = body
        decoder = body.model.decoder
        self._decoder: Any = torch.compile(decoder, backend=backend, dynamic=True) if backend else decoder
        self._threads = Threads(threads)
        self._forget()
        self.tokenizer: Tokenizer = tokenizer
        self.ends = ends
        self.noise: Noise = Uniform(text.vocab_size)
        self.softcap: float | None = text.final_logit_softcapping
        self.device = body.device

    def encode(self, prompt: Sequence[int], cancel: CancelToken, deadline: Deadline = NO_DEADLINE) -> int:
        """See `CanvasModel`. What agrees with the prompt before is kept, whichever canvases followed it."""
        reused = common_prefix(self._held, prompt)
        self._cache.crop(reused - len(self._held))
        del self._held[reused:]
        while len(self._held) < len(prompt) and not deadline.passed:
            cancel.raise_if_cancelled()
            self._extend(prompt[len(self._held) : len(self._held) + PROMPT_CHUNK])
        return reused

    @torch.no_grad()
    def _extend(self, ids: Sequence[int]) -> None:
        encoder, start = self._body.model.encoder, len(self._held)
        tokens = torch.tensor([ids], device=self.device)
        positions = torch.arange(start, start + len(ids), dtype=torch.int32, device=self.device)[None]
        with self._forward():
            masks = encoder.create_masks_for_generate(
                config=self._body.config,
                inputs_embeds=torch.empty(1, len(ids), 0, dtype=self._body.dtype, device=self.device),
                attention_mask=None,
                cache=self._cache,
                position_ids=positions,
            )
            encoder(input_ids=tokens, attention_mask=masks, cache=self._cache, position_ids=positions)
        self._held += ids

    @torch.no_grad()
    def denoise(self, canvases: Sequence[Shown]) -> Sequence[Tensor]:
        """See `CanvasModel`."""
        lengths = [len(shown.ids) for shown in canvases]
        longest, kept = max(lengths), len(self._held)
        ids = torch.stack([_padded(shown.ids, longest) for shown in canvases])  # (batch, longest)
        with self._forward():
            hidden = self._decoder(
                decoder_input_ids=ids,
                cache=repeated(self._cache, len(canvases)),
                self_conditioning_logits=self._conditioning(canvases, longest),
                decoder_attention_mask=self._visible(lengths) if min(lengths) < longest else None,
                decoder_position_ids=torch.arange(kept, kept + longest, dtype=torch.int32, device=self.device)[None],
            ).last_hidden_state
            logits = self._body.lm_head(hidden)
        return [row[:length] for row, length in zip(logits, lengths, strict=True)]

    def _conditioning(self, canvases: Sequence[Shown], longest: int) -> Tensor | None:
        """(batch, longest, vocabulary) in the weights' type; None where no canvas has taken a step."""
        guesses = [shown.conditioning for shown in canvases]
        if all(guess is None for guess in guesses):
            return None
        if any(guess is None for guess in guesses):
            raise ValueError("canvases of one batch must all have taken a step, or none of them")
        dtype = self._body.model.decoder.embed_tokens.weight.dtype
        scaled = [guess.scaled(self.softcap, dtype) for guess in guesses if guess is not None]
        return torch.stack([_padded(one, longest) for one in scaled])

    def _visible(self, lengths: Sequence[int]) -> dict[str, Tensor]:
        """A mask (batch, 1, longest, kv) for each kind of layer: everything but what pads a shorter canvas."""
        masks = {}
        kinds = self._body.config.get_text_config().layer_types
        for (keys, _), kind in zip(keys_and_values(self._cache), kinds, strict=True):
            if kind not in masks:
                prefix = keys.shape[-2]
                visible = torch.zeros(len(lengths), 1, max(lengths), prefix + max(lengths), dtype=torch.bool)
                for row, length in enumerate(lengths):
                    visible[row, :, :, : prefix + length] = True
                masks[kind] = visible.to(self.device)
        return masks

    def _forget(self) -> None:
        self._cache = new_cache(self._body.config.get_text_config(decoder=True))
        self._held: list[int] = []

    @contextmanager
    def _forward(self) -> Iterator[None]:
        """Inside, a forward: one that fails leaves the KV torn, so it is dropped."""
        try:
            with self._threads.forward():
                yield
        except BaseException as error:
            self._forget()
            if isinstance(error, torch.OutOfMemoryError):
                raise ModelError(
                    f"memory ran out on {self.device}; lower prompt_tokens, or close what uses it"
                ) from error
            raise


def _padded(rows: Tensor, length: int) -> Tensor:
    """(length, ...): rows, then zeros."""
    return torch.cat([rows, rows.new_zeros(length - len(rows), *rows.shape[1:])]) if len(rows) < length else rows
