"""Messages of langchain-core 1.6.5, as far as a middleware reads them."""

from __future__ import annotations

from typing import Any, Dict, Optional


class BaseMessage:
    type = ""

    def __init__(
        self,
        content: Any,
        *,
        id: Optional[str] = None,
        response_metadata: Optional[Dict[str, Any]] = None,
        usage_metadata: Optional[Dict[str, Any]] = None,
    ) -> None:
        self.content = content
        self.id = id
        self.response_metadata = {} if response_metadata is None else response_metadata
        self.usage_metadata = usage_metadata


class HumanMessage(BaseMessage):
    type = "human"


class AIMessage(BaseMessage):
    type = "ai"


class SystemMessage(BaseMessage):
    type = "system"
