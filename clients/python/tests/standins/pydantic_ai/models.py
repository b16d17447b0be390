"""`pydantic_ai/models/__init__.py`, as far as a capability touches it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Generic, List, Optional, TypeVar, Union

from .messages import ModelMessage, ModelResponse

DepsT = TypeVar("DepsT")


class Model:
    async def request(self, messages: List[ModelMessage], model_settings: Any, parameters: Any) -> ModelResponse:
        raise NotImplementedError


# What `infer_model` makes of an id; a test puts its models here.
known: Dict[str, Model] = {}


def infer_model(model: Union[Model, str]) -> Model:
    return known[model] if isinstance(model, str) else model


@dataclass
class ModelRequestContext:
    model: Model
    messages: List[ModelMessage]
    model_settings: Any
    model_request_parameters: Any
    model_id: Optional[str] = field(default=None, init=False)
    streaming: bool = field(default=False, init=False)


@dataclass(frozen=True)
class ModelSelectionContext(Generic[DepsT]):
    agent: Any
    deps: DepsT
    model: Optional[Model]
    run_step: int
    messages: List[ModelMessage]
    usage: Any
