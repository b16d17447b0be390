"""Reads a call to a provider: the task's text, its size, and the abilities that it needs of a
model. The TypeScript client reads calls by this module's rules, in `packages/client/src/adapters`.
Messages are dicts or objects with a `role` or a `type`, and a `content` that is a text or a list of parts.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Optional, Sequence

from ._attempts import attempt
from ._shape import is_dict, is_row
from ._text import field

# Matches the type and the media type of a message's part that holds a file.
_HELD = re.compile(r"^(?:input_)?(image|audio|file|document)(?:_url)? (?!text)")
# Matches types of message parts that hold or name a file; the tokens of files are not counted.
_FILE = re.compile(r"file|image|audio|media|screenshot|base64|url")
# Estimated tokens per character of English and of program text.
_PLAIN = 1 / 4
# Estimated tokens per character of texts that tokenizers split into shorter pieces.
_DENSE = (
    (re.compile(r"[\x80-\u10ff]+"), 0.45),
    (re.compile(r"[\u1100-\U0010ffff]+"), 0.8),
    (re.compile(r"(?<![\w+/=-])[\w+/=-]{65,}", re.ASCII), 2 / 3),
)


def _is_user(message: Any) -> bool:
    return field(message, "role") == "user" or field(message, "type") == "human"


def _text_of(message: Any) -> str:
    content = field(message, "content")
    if isinstance(content, str):
        return content
    parts: Sequence[Any] = content if is_row(content) else ()
    texts = [part if isinstance(part, str) else field(part, "text") for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def task_of(messages: Any) -> str:
    """Returns the text of the user's last message that has a text; `[file]` if there is none,
    because a task may not be empty.
    """
    if isinstance(messages, str):
        return messages
    said = [_text_of(each) for each in _rows(messages) if _is_user(each)]
    return next((text for text in reversed(said) if text), "[file]")


def _rows(messages: Any) -> Sequence[Any]:
    return messages if is_row(messages) else ()


def _units(text: str) -> int:
    """Returns a text's length in UTF-16 units, in which the TypeScript client counts too."""
    return len(text) + sum(1 for each in text if each > "\uffff")


def _text_tokens(text: str) -> float:
    """Estimates a text's tokens, rather too high, because a prompt that is too long fails."""
    return _units(text) * _PLAIN + sum(
        sum(_units(found) for found in of.findall(text)) * (tokens - _PLAIN) for of, tokens in _DENSE
    )


def _tokens(value: Any) -> float:
    """Estimates the tokens of all texts and field names in a value, without files."""
    if isinstance(value, str):
        return _text_tokens(value)
    if is_row(value):
        return sum(map(_tokens, value))
    if not is_dict(value) or ("type" in value and _FILE.search(str(value["type"]))):
        return 0
    return sum(_text_tokens(str(name)) + _tokens(each) for name, each in value.items())


def estimated_tokens(*prompt: Any) -> Optional[int]:
    """Estimates the tokens of a prompt and its tools, without files. Returns None if the prompt has
    no text or cannot be read.
    """
    return -int(-attempt(_tokens, prompt, otherwise=0) // 1) or None


def _kind_of(part: Any) -> Optional[str]:
    """Returns "image", "audio" or "file" for a message's part; None for text and unknown parts."""
    media = field(part, "mediaType") or field(part, "mime_type") or field(field(part, "source"), "type")
    said = f"{field(part, 'type')} {media}"
    return (re.findall("image|audio", said) or ["file"])[0] if _HELD.search(said) else None


def _needs(contents: Iterable[Any], tools: Any, is_structured: bool, output_limit: Any) -> Optional[Dict[str, Any]]:
    kinds = [_kind_of(part) for content in contents for part in (content if is_row(content) else ())]
    modalities = [kind for kind in dict.fromkeys(kinds) if kind is not None]
    needs: Dict[str, Any] = {
        "modalities": modalities or None, "tools": is_row(tools) and len(tools) > 0, "structured_output": is_structured,
    }
    if isinstance(output_limit, int) and not isinstance(output_limit, bool) and output_limit > 0:
        needs["output_tokens"] = output_limit
    return needs if any(needs.values()) else None


def question_of(
    messages: Any,
    *,
    system: Any = None,
    tools: Any = None,
    is_structured: bool = False,
    output_limit: Any = None,
    tags: Sequence[str] = (),
) -> Dict[str, Any]:
    """Returns a question's `task`, and `inferred_requirements` if the call has any.
    - output_limit: the call's limit of answer tokens, if it has one.
    """
    task: Dict[str, Any] = {"task": attempt(task_of, messages, otherwise="") or "(empty)"}
    texts: List[Any] = [messages] if isinstance(messages, str) else [
        each if is_dict(each) else {"content": field(each, "content")} for each in _rows(messages)]
    size = estimated_tokens(texts, system, tools)
    if size is not None:
        task["expected_input_tokens"] = size
    if tags:
        task["tags"] = list(tags)[:64]
    contents = [field(each, "content") for each in _rows(messages)]
    needs = attempt(_needs, contents, tools, is_structured, output_limit)
    return {"task": task, **({} if needs is None else {"inferred_requirements": needs})}
