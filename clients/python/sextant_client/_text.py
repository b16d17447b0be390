"""Reads the text of an answer of OpenAI, Anthropic, Gemini or LangChain."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from ._shape import is_dict, is_row


def field(value: Any, name: str) -> Any:
    """Returns a field of a mapping or an object; None if the field is missing."""
    return value.get(name) if is_dict(value) else getattr(value, name, None)


def _first(values: Any, index: int) -> Any:
    return values[index] if is_row(values) and values else None


def _joined(content: Any) -> Optional[str]:
    """Returns a text itself, or the joined texts of parts; None if no part has a text."""
    if isinstance(content, str):
        return content
    parts: Sequence[Any] = content if is_row(content) else []
    texts = [text for text in (field(part, "text") for part in parts) if isinstance(text, str)]
    return "".join(texts) if texts else None


def answer_text(answer: Any) -> Optional[str]:
    """Returns the text of an answer, or a given text itself. If the answer holds an agent's
    `messages`, the last message is read. Returns None if the answer has no text, as in a tool call.
    """
    if isinstance(answer, str):
        return answer
    try:
        last = _first(field(answer, "messages"), -1)
        inner = last or field(_first(field(answer, "choices"), 0), "message") or answer
        if isinstance(inner, str):
            return inner
        named = (field(inner, name) for name in ("text", "output_text", "content"))
        text = _joined(next((each for each in named if isinstance(each, str) or is_row(each)), None))
        return None if text == "" and field(inner, "tool_calls") else text
    except Exception:  # a property of a foreign answer failed
        return None
