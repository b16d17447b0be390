"""Finds the proxy between this process and the service."""

from __future__ import annotations

import base64
import urllib.request
from typing import Mapping, NamedTuple, Optional
from urllib.parse import SplitResult, unquote, urlsplit


class Proxy(NamedTuple):
    # The proxy's host; empty if the proxy's URL cannot be used, so that every request fails.
    host: str
    port: int
    # Value of the header `proxy-authorization`; empty if the proxy's URL names no user.
    authorization: str


def authority(parts: SplitResult) -> str:
    """Returns the host and port of a URL as the header `host` spells them."""
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    return shown if parts.port is None else f"{shown}:{parts.port}"


def proxy_for(parts: SplitResult, proxies: Mapping[str, str]) -> Optional[Proxy]:
    url = proxies.get(parts.scheme) or proxies.get("all")
    bypass = urllib.request.proxy_bypass_environment  # type: ignore[attr-defined]
    if not url or bypass(authority(parts), dict(proxies)):
        return None
    try:
        given = urlsplit(url if "://" in url else f"http://{url}")
        port = given.port or 80
    except ValueError:
        return Proxy("", 0, "")
    if given.scheme != "http" or not given.hostname:
        return Proxy("", 0, "")
    user = f"{unquote(given.username)}:{unquote(given.password or '')}" if given.username else ""
    authorization = f"Basic {base64.b64encode(user.encode()).decode()}" if user else ""
    return Proxy(given.hostname, port, authorization)
