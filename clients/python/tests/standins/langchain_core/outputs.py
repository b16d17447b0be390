"""What a chat model of langchain-core 1.6.5 gives."""

from __future__ import annotations

from typing import Any, List


class ChatGeneration:
    def __init__(self, *, message: Any) -> None:
        self.message = message


class ChatResult:
    def __init__(self, *, generations: List[ChatGeneration]) -> None:
        self.generations = generations
