"""Which errors of a provider's call say that the provider is out."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from http.client import HTTPException
from typing import Iterator, Optional
from urllib.error import HTTPError, URLError

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
# Errors of openai, anthropic, httpx, aiohttp, requests and botocore, by name: none of them is imported here.
_NETWORK_NAME = re.compile(
    r"Timeout|APIConnection|^Connect(?:ion)?Error$|^(?:Read|Write|Network|Transport|RemoteProtocol)Error$"
    r"|^ServerDisconnected|^ClientConnect|^EndpointConnection|^ConnectionClosed|^ChunkedEncoding"
)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from, outermost first, at most five."""
    seen = 0
    current: Optional[BaseException] = error
    while current is not None and seen < 5:
        yield current
        seen += 1
        current = current.__cause__


def _read(value: object, name: str) -> object:
    try:
        return value.get(name) if isinstance(value, dict) else getattr(value, name, None)
    except Exception:  # a getter of a foreign error failed: nothing is known of the field
        return None


def status_of(error: BaseException) -> Optional[int]:
    """The HTTP status that an error carries; None without one."""
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
    """How long the provider asked to wait, in ms, at most ten minutes; None where it did not."""
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
    """Whether an error is an outage of the provider.

    It is with a status of 408, 409, 429 or 500 and more, after a timeout, or after a connection that broke.
    Errors that carry another status, or nothing of these, are the caller's.
    """
    status = status_of(error)
    if status is not None:
        return status in (408, 409, 429) or status >= 500
    return any(_is_network(each) for each in _chain(error))


def _is_network(error: BaseException) -> bool:
    if isinstance(error, _NETWORK):
        return not isinstance(error, HTTPError)
    return any(_NETWORK_NAME.search(each.__name__) for each in type(error).__mro__)
