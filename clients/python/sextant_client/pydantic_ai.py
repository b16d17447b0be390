"""Chooses the model of each step of an agent of Pydantic AI. Before each request, Pydantic AI calls
the selector that `get_model()` returned, with a `ModelSelectionContext`. The
`messages` of a `ModelSelectionContext` end before the current request, so the first step takes its
prompt from the `RunContext` of `for_run(ctx)`. For its first step, a run selects a model twice:
before `for_run`, and again with the capability that `for_run` returned. The interface of Pydantic AI
was read in `pydantic_ai/capabilities` at the commits 00851af6 and 447b4ed5.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Union

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model, ModelRequestContext, ModelSelectionContext, infer_model

from ._attempts import Attempts, attempt
from ._choice import Choice, Routed
from ._question import question_of
from ._shape import is_dict
from ._text import field
from ._usage import Usage
from .aio import AsyncSextant
from .client import Sextant

# Name of the field of a response's metadata that holds its `Routed`.
_KEPT = "sextant"


class SextantModel(AbstractCapability[Any]):
    """Asks Sextant for each request's model, runs another after an outage, and reports the calls.

    If the program names a model for a run, that model runs and is not reported. After an outage in
    a streamed request, no next model runs.

    - models: each model of the client by its id, as a `Model` or as an id of Pydantic AI such as
        "openai:gpt-5.5".

    Raises ValueError if `models` lacks a model of the client.
    """

    def __init__(
        self, sextant: Sextant, models: Mapping[str, Union[Model, str]], *, id: Optional[str] = None
    ) -> None:
        missing = [model_id for model_id in sextant.models if model_id not in models]
        if missing:
            raise ValueError(f"SextantModel: no model of {', '.join(missing)}")
        self.id = id
        self.sextant = sextant
        self._asynchronous = AsyncSextant(client=sextant)
        self._models = dict(models)
        # The context of a run, and the choice for the run's present step.
        self._run: Optional[RunContext[Any]] = None
        self._choice: Optional[Choice] = None

    async def for_run(self, ctx: RunContext[Any]) -> "SextantModel":
        """Returns a copy of this capability for one run, with the run's context."""
        own = copy.copy(self)
        own._run, own._choice = ctx, None
        return own

    def get_model(self) -> Callable[[ModelSelectionContext[Any]], Awaitable[Union[Model, str]]]:
        """Returns the function that selects a step's model."""
        return self._select

    @classmethod
    def get_serialization_name(cls) -> Optional[str]:
        """Returns None, because a serialised agent cannot name a Sextant client."""
        return None

    async def _select(self, context: ModelSelectionContext[Any]) -> Union[Model, str]:
        run = self._run
        if run is None:  # before the run has a prompt, which `for_run` brings
            return self._models[self.sextant.default_model_id]
        prompt = run.prompt if context.run_step <= 1 else None
        asked = attempt(_question, context.messages, prompt, context.run_step, otherwise={"task": "(unreadable)"})
        conversation = attempt(lambda: run.conversation_id or run.run_id)
        self._choice = (await self._asynchronous.choose(conversation_id=conversation, **asked)).choice
        return self._models[self._choice.model_id]

    async def wrap_model_request(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,
        handler: Callable[[ModelRequestContext], Awaitable[ModelResponse]],
    ) -> ModelResponse:
        """Makes one request."""
        choice = self._choice
        self._choice = None  # of this request alone: a run that names its own model selects none
        if choice is None:
            return await handler(request_context)
        attempts = Attempts(choice, may_go_on=not request_context.streaming)
        while True:
            with attempts as call:
                context = request_context
                if call.model_id != choice.model_id:
                    named = self._models[call.model_id]
                    context = replace(request_context, model=infer_model(named) if isinstance(named, str) else named)
                response = await handler(context)
                call.succeeded(attempt(_usage_of, response))
                attempt(_mark, response, choice.routed(call.model_id))
                return response


def sextant_of(response: Any) -> Optional[Routed]:
    """Returns the routing of a `ModelResponse`; None if Sextant did not route it."""
    kept = field(field(response, "metadata"), _KEPT)
    return attempt(lambda: Routed(**kept)) if is_dict(kept) else None


def _mark(response: ModelResponse, routed: Routed) -> None:
    response.metadata = {**(response.metadata or {}), _KEPT: routed._asdict()}


def _usage_of(response: ModelResponse) -> Usage:
    """Returns the usage of a response; its input includes cached tokens."""
    usage = response.usage
    details: Any = usage.details or {}
    return Usage(
        usage.input_tokens or None, usage.cache_read_tokens or None, usage.output_tokens or None,
        details.get("reasoning_tokens"), cache_write_input_tokens=usage.cache_write_tokens or None,
    )


def _question(messages: Sequence[Any], prompt: Any, step: int) -> Dict[str, Any]:
    """Returns arguments of `choose` about a step."""
    said: List[Dict[str, Any]] = [
        {"role": "user" if field(part, "part_kind") == "user-prompt" else None, "content": _content(part)}
        for message in messages for part in field(message, "parts") or ()
    ]
    if prompt is not None:
        said.append({"role": "user", "content": _contents(prompt)})
    return question_of(said, tags=[f"step:{step - 1}"])


def _content(part: Any) -> Any:
    return _contents(field(part, "content"))


def _contents(content: Any) -> Any:
    if content is None or isinstance(content, str):
        return content
    return [each if isinstance(each, str) else _file(each) for each in content]


def _file(part: Any) -> Dict[str, Any]:
    """Converts a file of Pydantic AI to a message part of the type "image", "audio" or "file"."""
    media = str(field(part, "media_type") or field(part, "kind") or "")
    return {"type": next((kind for kind in ("image", "audio") if media.startswith(kind)), "file")}
