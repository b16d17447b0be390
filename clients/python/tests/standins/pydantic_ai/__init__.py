"""The parts of pydantic-ai that a capability touches, as read in pydantic/pydantic-ai in November 2026.

`capabilities/abstract.py` at 00851af6, `_run_context.py` at 01e12151, `models/__init__.py` and `_agent_graph.py`
(`_select_model`) as stored. The order of an agent's run is that of `docs/capabilities/custom.md`.
"""

from __future__ import annotations

from typing import Any, Generic, List, Optional, Sequence, TypeVar, Union

from .messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart

DepsT = TypeVar("DepsT")


class RunContext(Generic[DepsT]):
    def __init__(
        self, deps: DepsT, model: Any, prompt: Union[str, Sequence[Any], None], conversation_id: Optional[str]
    ) -> None:
        self.deps, self.model, self.prompt = deps, model, prompt
        self.run_id: Optional[str] = "run"
        self.conversation_id = conversation_id
        self.run_step = 0


class Agent:
    """An agent of one capability and no tools, whose runs make `steps` requests."""

    def __init__(self, model: Any = None, *, capabilities: Sequence[Any]) -> None:
        self._model = model
        [self._capability] = capabilities

    async def run(
        self,
        prompt: Union[str, Sequence[Any]],
        *,
        model: Any = None,
        conversation_id: Optional[str] = None,
        steps: int = 1,
        streaming: bool = False,
    ) -> List[ModelMessage]:
        from .models import ModelRequestContext, ModelSelectionContext, infer_model

        async def selected(capability: Any, step: int, history: List[ModelMessage]) -> Any:
            if model is not None:
                return infer_model(model)
            context: Any = ModelSelectionContext(self, None, self._model, step, list(history), None)
            found = capability.get_model()(context)
            return infer_model(await found if hasattr(found, "__await__") else found)
        messages: List[ModelMessage] = []
        bootstrap = await selected(self._capability, 1, messages)
        run: RunContext[Any] = RunContext(None, bootstrap, prompt, conversation_id)
        capability = await self._capability.for_run(run)
        for step in range(1, steps + 1):
            part = UserPromptPart(prompt) if step == 1 else UserPromptPart("", part_kind="tool-return")
            messages.append(ModelRequest([part]))
            # The current request is appended, and the selector does not see it.
            request = ModelRequestContext(await selected(capability, step, messages[:-1]), list(messages), None, None)
            request.streaming = streaming

            async def handler(context: ModelRequestContext) -> ModelResponse:
                return await context.model.request(context.messages, None, None)
            messages.append(await capability.wrap_model_request(run, request_context=request, handler=handler))
        return messages
