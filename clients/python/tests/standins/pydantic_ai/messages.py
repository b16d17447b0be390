"""Messages of pydantic-ai: `pydantic_ai/messages.py` and `usage.py`, as far as a capability reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union


@dataclass
class RequestUsage:
    input_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    output_tokens: int = 0
    details: Dict[str, int] = field(default_factory=lambda: {})


@dataclass
class UserPromptPart:
    content: Any
    part_kind: str = "user-prompt"


@dataclass
class ModelRequest:
    parts: List[Any]


@dataclass
class ModelResponse:
    parts: List[Any]
    usage: RequestUsage = field(default_factory=RequestUsage)
    metadata: Optional[Dict[str, Any]] = None


ModelMessage = Union[ModelRequest, ModelResponse]
