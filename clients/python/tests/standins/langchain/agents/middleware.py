"""The parts of langchain 1.4.2 that a middleware touches: `langchain/agents/middleware/types.py`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Awaitable, Callable, Dict, Generic, List, Optional, TypeVar, Union

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

StateT = TypeVar("StateT")
ContextT = TypeVar("ContextT")
ResponseT = TypeVar("ResponseT")


@dataclass
class ModelRequest(Generic[ContextT]):
    model: BaseChatModel
    messages: List[BaseMessage]
    system_message: Optional[BaseMessage] = None
    tool_choice: Any = None
    tools: List[Any] = field(default_factory=lambda: [])
    response_format: Any = None
    state: Any = None
    runtime: Any = None
    model_settings: Dict[str, Any] = field(default_factory=lambda: {})

    def override(self, **overrides: Any) -> ModelRequest[ContextT]:
        return replace(self, **overrides)


@dataclass
class ModelResponse(Generic[ResponseT]):
    result: List[BaseMessage]
    structured_response: Optional[ResponseT] = None


class AgentMiddleware(Generic[StateT, ContextT]):
    @property
    def name(self) -> str:
        return self.__class__.__name__

    def wrap_model_call(
        self, request: ModelRequest[ContextT], handler: Callable[[ModelRequest[ContextT]], ModelResponse[Any]]
    ) -> Union[ModelResponse[Any], AIMessage]:
        raise NotImplementedError

    async def awrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], Awaitable[ModelResponse[Any]]],
    ) -> Union[ModelResponse[Any], AIMessage]:
        raise NotImplementedError
