"""What a call of a model took, as the caller gives it or a provider's answer carries it."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional


class Usage(NamedTuple):
    """What a call took; a field that is None claims nothing."""

    # Input tokens that were billed, cached ones included, count.
    input_tokens: Optional[int] = None
    # The part of `input_tokens` that a prompt cache held, count.
    cached_input_tokens: Optional[int] = None
    # Output tokens that were billed, reasoning included, count.
    output_tokens: Optional[int] = None
    # The part of `output_tokens` that was spent on reasoning, count.
    reasoning_tokens: Optional[int] = None
    # The bill, in US dollars; the service computes it from list prices when it is None.
    cost_usd: Optional[float] = None
    # Latency of the call, in ms; measured when it is None.
    latency_ms: Optional[float] = None
    # Time to the first token, in ms; measured for a stream when it is None.
    time_to_first_token_ms: Optional[float] = None

    def updated(self, later: Optional["Usage"]) -> "Usage":
        """This usage with every field that a later one knows; what is no usage changes nothing."""
        if not isinstance(later, Usage):
            return self
        return self._replace(**{name: value for name, value in later._asdict().items() if value is not None})


def measurements(usage: Usage) -> Dict[str, Any]:
    """The fields of a report; one that is no number >= 0 is left out."""
    fields: Dict[str, Any] = {
        "input_tokens": _whole(usage.input_tokens),
        "cached_input_tokens": _whole(usage.cached_input_tokens),
        "output_tokens": _whole(usage.output_tokens),
        "reasoning_tokens": _whole(usage.reasoning_tokens),
        "actual_cost_usd": usage.cost_usd if is_amount(usage.cost_usd, 1e6) else None,
        "latency_ms": _whole(usage.latency_ms),
        "time_to_first_token_ms": _whole(usage.time_to_first_token_ms),
    }
    return {name: value for name, value in fields.items() if value is not None}


def is_amount(value: object, upper: float = 1e12) -> bool:
    # Neither infinity nor NaN is in the range; a whole number too large for a float can be compared.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= upper


def _whole(value: Any) -> Optional[int]:
    return round(value) if is_amount(value, 1e12) else None


def _read(value: Any, *names: str) -> Any:
    """The first of these fields of an object or a mapping that is there; None without one."""
    for name in names:
        found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if found is not None:
            return found
    return None


def _count(value: Any, *names: str) -> Optional[int]:
    return _whole(_read(value, *names))


def _total(*counts: Optional[int]) -> Optional[int]:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def usage_of(answer: Any) -> Optional[Usage]:
    """The usage that an answer, or one event of a stream, carries; None when it carries none.

    Reads OpenAI's chat completions and responses, Anthropic's messages, Gemini's answers and Bedrock's
    Converse, as objects or as parsed JSON. Cached input and reasoning are parts of their wholes here.
    """
    gemini = _read(answer, "usage_metadata", "usageMetadata")
    if gemini is not None:
        thoughts = _count(gemini, "thoughts_token_count", "thoughtsTokenCount")
        return Usage(
            input_tokens=_count(gemini, "prompt_token_count", "promptTokenCount"),
            cached_input_tokens=_count(gemini, "cached_content_token_count", "cachedContentTokenCount"),
            output_tokens=_total(_count(gemini, "candidates_token_count", "candidatesTokenCount"), thoughts),
            reasoning_tokens=thoughts,
        )
    # A stream of responses carries the answer in its last event, one of messages in its first.
    inner = _read(answer, "response", "message")
    usage = _read(answer, "usage") or _read(inner, "usage")
    if usage is None:
        return None
    details_in = _read(usage, "prompt_tokens_details", "input_tokens_details")
    details_out = _read(usage, "completion_tokens_details", "output_tokens_details")
    cache_read = _count(usage, "cache_read_input_tokens", "cacheReadInputTokens")
    cache_write = _count(usage, "cache_creation_input_tokens", "cacheWriteInputTokens")
    whole_input = _count(usage, "prompt_tokens")
    apart = _total(_count(usage, "input_tokens", "inputTokens"), cache_read, cache_write)
    return Usage(
        input_tokens=apart if whole_input is None else whole_input,
        cached_input_tokens=cache_read if details_in is None else _count(details_in, "cached_tokens"),
        output_tokens=_count(usage, "completion_tokens", "output_tokens", "outputTokens"),
        reasoning_tokens=_count(details_out, "reasoning_tokens"),
    )
