"""Finds the errors of a provider's call after which another model may run."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from http.client import HTTPException
from typing import Iterator, List, Optional
from urllib.error import HTTPError, URLError

from ._shape import is_dict
from ._transport import seconds_of

_NETWORK = (
    TimeoutError,
    asyncio.TimeoutError,
    ConnectionError,
    socket.timeout,
    socket.gaierror,
    ssl.SSLError,
    HTTPException,
    URLError,
)
# Matches class names of network errors in openai, anthropic, httpx, aiohttp, requests and botocore,
# which are not imported.
_NETWORK_NAME = re.compile(
    r"Timeout|APIConnection|^Connect(?:ion)?Error$|^(?:Read|Write|Network|Transport|RemoteProtocol)Error$"
    r"|^ServerDisconnected|^ClientConnect|^EndpointConnection|^ConnectionClosed|^ChunkedEncoding"
)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yields an error, and up to four errors that caused it, the outermost first."""
    seen = 0
    current: Optional[BaseException] = error
    while current is not None and seen < 5:
        yield current
        seen += 1
        current = current.__cause__


def _read(value: object, name: str) -> object:
    try:
        return value.get(name) if is_dict(value) else getattr(value, name, None)
    except Exception:  # a getter of a foreign error failed: nothing is known of the field
        return None


def status_of(error: BaseException) -> Optional[int]:
    """Returns the HTTP status in an error or in its causes; None if they have no status."""
    for each in _chain(error):
        response = _read(each, "response")
        found = [_read(each, name) for name in ("status_code", "status", "http_status", "code")]
        found += [_read(response, "status_code"), _read(response, "status")]
        found += [_read(_read(response, "ResponseMetadata"), "HTTPStatusCode")]
        for status in found:
            if isinstance(status, int) and not isinstance(status, bool) and 100 <= status <= 599:
                return int(status)
    return None


def retry_after_ms_of(error: BaseException) -> Optional[int]:
    """Returns the wait that the provider asks for, in ms, at most ten minutes; None without one."""
    for each in _chain(error):
        headers = _read(each, "headers") or _read(_read(each, "response"), "headers")
        asked = _header(headers, "retry-after-ms")
        wait = _number_of(asked) if asked else seconds_of(_header(headers, "retry-after")) * 1_000
        if wait > 0:
            return int(min(wait, 600_000))
    return None


def _header(headers: object, name: str) -> str:
    try:
        return str(headers.get(name) or headers.get(name.title()) or "")  # type: ignore[attr-defined]
    except Exception:  # it has no headers, or a foreign getter failed
        return ""


def _number_of(text: str) -> float:
    return float(text[:12]) if text.isascii() and text.isdigit() else 0.0


def is_outage(error: BaseException) -> bool:
    """Whether an error is an outage of the provider. An outage is the status 408, 409, 429 or 500
    and more or, without a status, a timeout or another network error.
    """
    status = status_of(error)
    if status is not None:
        return status in (408, 409, 429) or status >= 500
    return any(_is_network(each) for each in _chain(error))


# Why another model may run: the provider has an outage or refuses the model, or the model refuses
# a parameter of the call.
OUTAGE, MODEL, PARAMETERS = "outage", "model", "parameters"

# Messages of a 400 or 422 about an unknown or retired model.
_NO_MODEL = re.compile(
    r"model_not_found|(invalid|unknown)_model|model_(decommissioned|deprecated)|model (name|identifier)"
    r"|model\b.{0,80}(not (exist|found)|decommissioned|retired|no longer)",
    re.IGNORECASE,
)
# Messages of a 403, 404 or 410 that is not about the model: a refused input, a missing file or thread.
_OTHER_REFUSAL = re.compile(
    r"moderat|flagged|^(?!.*(model|deployment)).*\b(response with id|conversation|thread|file|container)",
    re.IGNORECASE | re.DOTALL,
)
# Providers' names of parameters, and error codes about a parameter.
_PARAMETER = re.compile(
    r"un(supported|known)_(parameter|value)|max_?(\w+_?)?tokens|temperature|(top|min)_?[pk]\b|penalty|logprobs"
    r"|logit_bias|\bseed\b|stop_?sequences|reasoning|thinking|budget_?tokens|verbosity|response_?(format|schema)"
    r"|output_(format|config)|parallel_tool_calls|tool_choice|service_tier|stream_options",
    re.IGNORECASE,
)
# Errors about the prompt or its length, whose texts may also name a parameter such as `max_tokens`.
_ABOUT_MESSAGES = re.compile(r"context|messages[.\[]|input\[", re.IGNORECASE)


def fault_of(error: BaseException) -> Optional[str]:
    """Returns the provider's fault, "outage", "model" or "parameters", after which another model may
    run; None for any other error.
    """
    if is_outage(error):
        return OUTAGE
    status = status_of(error)
    if status in (403, 404, 410):
        return None if _OTHER_REFUSAL.search(_said_by(error)) else MODEL
    if status not in (400, 422):
        return None
    said = _said_by(error)
    if _NO_MODEL.search(said):
        return MODEL
    return PARAMETERS if _PARAMETER.search(said) and not _ABOUT_MESSAGES.search(said) else None


def _said_by(error: BaseException) -> str:
    """The texts of an error and its causes, at most 2,000 characters of each."""
    said: List[str] = []
    for each in _chain(error):
        try:
            fields = [_read(each, name) for name in ("code", "param", "type", "body")]
            response = _read(each, "response")
            fields += [_read(response, "Error"), _read(response, "text")]
            said.append(" ".join(str(field) for field in [*fields, each])[:2_000])
        except Exception:  # `__str__` of a foreign value failed
            continue
    return " ".join(said)


def _is_network(error: BaseException) -> bool:
    if isinstance(error, _NETWORK):
        return not isinstance(error, HTTPError)
    return any(_NETWORK_NAME.search(each.__name__) for each in type(error).__mro__)
