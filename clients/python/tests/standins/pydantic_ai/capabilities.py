"""`pydantic_ai/capabilities/abstract.py`: the methods that a capability of a model overrides."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Generic, Optional, TypeVar

from . import RunContext
from .messages import ModelResponse
from .models import ModelRequestContext

DepsT = TypeVar("DepsT")


class AbstractCapability(Generic[DepsT]):
    id: Optional[str] = None

    @classmethod
    def get_serialization_name(cls) -> Optional[str]:
        return cls.__name__

    async def for_run(self, ctx: RunContext[DepsT]) -> AbstractCapability[DepsT]:
        return self

    def get_model(self) -> Any:
        return None

    async def wrap_model_request(
        self,
        ctx: RunContext[DepsT],
        *,
        request_context: ModelRequestContext,
        handler: Callable[[ModelRequestContext], Awaitable[ModelResponse]],
    ) -> ModelResponse:
        return await handler(request_context)
