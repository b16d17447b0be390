"""The usage of a model's call, from the caller or from a provider's answer."""

from __future__ import annotations

import re
from typing import Any, Dict, NamedTuple, Optional, Tuple

from ._shape import is_dict, is_list


class Usage(NamedTuple):
    """Tokens, cost and times of a call."""

    # Number of billed input tokens, including cached tokens.
    input_tokens: Optional[int] = None
    # Number of input tokens that were read from a prompt cache; part of `input_tokens`.
    cached_input_tokens: Optional[int] = None
    # Number of billed output tokens, including reasoning.
    output_tokens: Optional[int] = None
    # Number of reasoning tokens; part of `output_tokens`.
    reasoning_tokens: Optional[int] = None
    # Cost of the call in US dollars; if it is None, `price_of` or the service computes the cost.
    cost_usd: Optional[float] = None
    # Latency of the call, in ms; if it is None, the client measures the latency.
    latency_ms: Optional[float] = None
    # Time to the first token, in ms; if it is None, `Choice.stream` measures it.
    time_to_first_token_ms: Optional[float] = None
    # The part of `input_tokens` that was written to a prompt cache, count.
    cache_write_input_tokens: Optional[int] = None
    # The part of `cache_write_input_tokens` that the cache keeps for an hour, count.
    cache_write_hour_input_tokens: Optional[int] = None
    # The provider's name of the call's service tier, such as `flex`, `priority` or `batch`.
    service_tier: Optional[str] = None
    # Web searches that the provider ran for the call, count.
    web_searches: Optional[int] = None

    def updated(self, later: Optional["Usage"]) -> "Usage":
        """Returns this usage with the known fields of a later one, if `later` is a Usage."""
        if not isinstance(later, Usage):
            return self
        return self._replace(**{name: value for name, value in later._asdict().items() if value is not None})


def measurements(usage: Usage) -> Dict[str, Any]:
    """Returns the usage fields of a report, without negative, infinite and malformed values."""
    fields: Dict[str, Any] = {
        "input_tokens": _whole(usage.input_tokens),
        "cached_input_tokens": _whole(usage.cached_input_tokens),
        "cache_write_input_tokens": _whole(usage.cache_write_input_tokens),
        "cache_write_hour_input_tokens": _whole(usage.cache_write_hour_input_tokens),
        "service_tier": _tier(usage.service_tier),
        "web_searches": _whole(usage.web_searches),
        "output_tokens": _whole(usage.output_tokens),
        "reasoning_tokens": _whole(usage.reasoning_tokens),
        "actual_cost_usd": usage.cost_usd if is_amount(usage.cost_usd, 1e6) else None,
        "latency_ms": _whole(usage.latency_ms),
        "time_to_first_token_ms": _whole(usage.time_to_first_token_ms),
    }
    return {name: value for name, value in fields.items() if value is not None}


def is_amount(value: object, upper: float = 1e12) -> bool:
    # `0 <= value <= upper` is false for infinity, NaN and integers too large for a float.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= upper


def _tier(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value) else None


def _whole(value: Any) -> Optional[int]:
    return round(value) if is_amount(value, 1e12) else None


def _read(value: Any, *names: str) -> Any:
    """Returns the first named field of an object or mapping that is not None, or else None."""
    for name in names:
        found = value.get(name) if is_dict(value) else getattr(value, name, None)
        if found is not None:
            return found
    return None


def _count(value: Any, *names: str) -> Optional[int]:
    return _whole(_read(value, *names))


def _sum(*counts: Optional[float]) -> float:
    return sum(count for count in counts if count is not None)


def whole_tokens(
    *,
    input: Optional[float] = None,
    output: Optional[float] = None,
    total: Optional[float] = None,
    input_parts: float = 0,
    output_parts: float = 0,
    input_beside: bool = False,
    output_beside: bool = False,
    rest_is_output: bool = False,
) -> Tuple[Optional[float], Optional[float]]:
    """Returns the input and output tokens with their parts: cached tokens and reasoning.
    `whole_tokens` follows the rule of `packages/client/src/TokenCounts.ts`. Some providers leave
    cached tokens out of `input`, or reasoning out of `output`. A known `total` may show whether
    `input` includes cached tokens and `output` includes reasoning. `input_beside` says that `input`
    excludes cached tokens, and `output_beside` that `output` excludes reasoning. Tokens that only
    `total` counts belong to an unknown input or output, else to output if `rest_is_output` is true,
    else to input.
    """
    whole_input = _with_parts(input, input_parts, input_beside)
    whole_output = _with_parts(output, output_parts, output_beside)
    if total is None:
        return whole_input, whole_output
    if output is None or whole_output is None:
        rest = 0 if whole_input is None else total - whole_input
        return whole_input, rest if rest > 0 else None
    least = max(input or 0, input_parts)
    most = total if input is None else input + input_parts
    for whole in (whole_output, output, output + output_parts):
        if whole >= output_parts and least <= total - whole <= most:
            return total - whole, whole
    if total - whole_output < least:
        # A total below the sum of input and output is ignored.
        return whole_input, whole_output
    if rest_is_output and whole_input is not None:
        return whole_input, total - whole_input
    return total - whole_output, whole_output


def _with_parts(own: Optional[float], parts: float, beside: bool) -> Optional[float]:
    """Adds `parts`, cached or reasoning tokens, to the count `own` if `own` excludes them or is
    smaller than `parts`.
    """
    return own if own is None or not (beside or parts > own) else own + parts


def usage_of(answer: Any) -> Optional[Usage]:
    """Returns the usage in an answer or in one event of a stream; None if there is no usage. Reads
    OpenAI's chat completions and responses, Anthropic's messages, Gemini's answers, Bedrock's
    Converse and LangChain's messages, as objects or as parsed JSON. The returned input includes
    cached tokens, and the returned output includes reasoning.
    """
    metadata = _read(answer, "usage_metadata", "usageMetadata")
    if metadata is not None:
        return _of_messages(metadata) if _read(metadata, "input_tokens") is not None else _of_gemini(metadata)
    # In streams, OpenAI's last event holds the usage in `response`, and Anthropic's first event in
    # `message`.
    inner = _read(answer, "response", "message")
    usage = _read(answer, "usage") or _read(inner, "usage")
    if usage is None:
        return None
    details_in = _read(usage, "prompt_tokens_details", "input_tokens_details")
    details_out = _read(usage, "completion_tokens_details", "output_tokens_details")
    cache_read = _count(usage, "cache_read_input_tokens", "cacheReadInputTokens")
    cache_write = _count(usage, "cache_creation_input_tokens", "cacheWriteInputTokens")
    reasoning = _count(details_out, "reasoning_tokens", "thinking_tokens")
    prompt = _count(usage, "prompt_tokens")
    # A usage that has neither `prompt_tokens` nor input details counts as Anthropic's or
    # Bedrock's, whose input excludes cached tokens.
    is_whole = prompt is not None or details_in is not None
    input = _count(usage, "input_tokens", "inputTokens") if prompt is None else prompt
    output = _count(usage, "completion_tokens", "output_tokens", "outputTokens")
    cached = cache_read if details_in is None else _count(details_in, "cached_tokens")
    parts = _sum(cached, cache_write)
    return _usage(
        *whole_tokens(
            input=0 if input is None and parts > 0 and not is_whole else input, output=output,
            total=_count(usage, "total_tokens"), input_parts=parts,
            output_parts=reasoning or 0, input_beside=not is_whole, rest_is_output=True,
        ), cached, reasoning, cache_write, _count(_read(usage, "cache_creation"), "ephemeral_1h_input_tokens"),
    )._replace(service_tier=_service_tier(answer, inner, usage), web_searches=_web_searches(answer, inner, usage))


def _service_tier(answer: Any, inner: Any, usage: Any) -> Optional[str]:
    # Anthropic's fast mode has its own price, so it is reported as a service tier.
    if _read(usage, "speed") == "fast":
        return "fast"
    return _tier(_read(usage, "service_tier") or _read(answer, "service_tier") or _read(inner, "service_tier"))


def _web_searches(answer: Any, inner: Any, usage: Any) -> Optional[int]:
    """Returns the number of web searches, from Anthropic's usage or OpenAI's output items."""
    output = _read(answer, "output") or _read(inner, "output")
    if is_list(output):
        return sum(1 for item in output if _read(item, "type") == "web_search_call") or None
    return _count(_read(usage, "server_tool_use"), "web_search_requests")


def _usage(
    input: Optional[float],
    output: Optional[float],
    cached: Optional[int],
    reasoning: Optional[int],
    written: Optional[int] = None,
    written_hour: Optional[int] = None,
) -> Usage:
    return Usage(
        _whole(input), cached, _whole(output), reasoning,
        cache_write_input_tokens=written, cache_write_hour_input_tokens=written_hour,
    )


def _of_gemini(metadata: Any) -> Usage:
    thoughts = _count(metadata, "thoughts_token_count", "thoughtsTokenCount")
    cached = _count(metadata, "cached_content_token_count", "cachedContentTokenCount")
    said = _count(metadata, "candidates_token_count", "candidatesTokenCount")
    tools = _count(metadata, "tool_use_prompt_token_count", "toolUsePromptTokenCount") or 0
    prompt = _count(metadata, "prompt_token_count", "promptTokenCount")
    return _usage(
        *whole_tokens(
            input=None if prompt is None else prompt + tools,
            # Gemini counts no output if an answer ended while the model was thinking.
            output=0 if said is None and thoughts is not None else said,
            total=_count(metadata, "total_token_count", "totalTokenCount"),
            input_parts=cached or 0, output_parts=thoughts or 0, output_beside=True, rest_is_output=True,
        ), cached, thoughts)


def _of_messages(metadata: Any) -> Usage:
    details = _read(metadata, "input_token_details")
    cached = _count(details, "cache_read")
    written = _count(details, "cache_creation")
    reasoning = _count(_read(metadata, "output_token_details"), "reasoning")
    return _usage(
        *whole_tokens(
            input=_count(metadata, "input_tokens"), output=_count(metadata, "output_tokens"),
            total=_count(metadata, "total_tokens"), output_parts=reasoning or 0,
            input_parts=_sum(cached, written),
        ), cached, reasoning, written, _count(details, "ephemeral_1h_input_tokens"))
