"""`create_agent` of langchain 1.4.2, of an agent without tools: one call of the model through its middleware."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Dict, List, Optional, Sequence

from langgraph.config import var_child_runnable_config

from .middleware import AgentMiddleware, ModelRequest, ModelResponse


class _Agent:
    def __init__(self, model: Any, middleware: Sequence[AgentMiddleware[Any, Any]]) -> None:
        self._model, self._middleware = model, middleware

    def _request(self, state: Dict[str, Any], config: Optional[Dict[str, Any]]) -> ModelRequest[Any]:
        var_child_runnable_config.set(config or {})
        return ModelRequest(self._model, list(state["messages"]), state=state)

    def invoke(self, state: Dict[str, Any], config: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
        def call(request: ModelRequest[Any]) -> ModelResponse[Any]:
            return ModelResponse([request.model.invoke(request.messages, **request.model_settings)])
        handler: Any = call
        for each in reversed(self._middleware):
            handler = partial(_sync, each, handler)
        return _messages(state, handler(self._request(state, config)))

    async def ainvoke(self, state: Dict[str, Any], config: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
        async def call(request: ModelRequest[Any]) -> ModelResponse[Any]:
            await asyncio.sleep(0)
            return ModelResponse([request.model.invoke(request.messages, **request.model_settings)])
        handler: Any = call
        for each in reversed(self._middleware):
            handler = partial(_async, each, handler)
        return _messages(state, await handler(self._request(state, config)))


def _sync(middleware: Any, handler: Any, request: Any) -> Any:
    return middleware.wrap_model_call(request, handler)


async def _async(middleware: Any, handler: Any, request: Any) -> Any:
    return await middleware.awrap_model_call(request, handler)


def _messages(state: Dict[str, Any], answer: Any) -> Dict[str, Any]:
    made: List[Any] = answer.result if isinstance(answer, ModelResponse) else [answer]
    return {"messages": [*state["messages"], *made]}


def create_agent(model: Any, *, middleware: Sequence[AgentMiddleware[Any, Any]] = ()) -> _Agent:
    return _Agent(model, middleware)
