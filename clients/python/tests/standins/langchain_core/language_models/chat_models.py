"""The base class of chat models of langchain-core 1.6.5, as far as a middleware touches it."""

from __future__ import annotations

from typing import Any, List


class BaseChatModel:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def _generate(self, messages: List[Any], stop: Any = None, run_manager: Any = None, **settings: Any) -> Any:
        raise NotImplementedError

    def invoke(self, messages: List[Any], **settings: Any) -> Any:
        return self._generate(messages, **settings).generations[0].message
