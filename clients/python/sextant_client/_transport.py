"""Sends requests to the service over kept connections, each within one deadline. A question's
deadline covers the lookup of the host name, the connection, TLS, the request and the answer, so
that a slow server cannot hold the caller. The threads of a client share connections.
"""

from __future__ import annotations

# Without this import, a fork while the first look-up of a host name imports `encodings.idna` would
# leave that module locked in the child for ever.
import encodings.idna  # pyright: ignore[reportUnusedImport]
import json
import queue
import socket
import ssl
import threading
import time
import urllib.request
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Any, Callable, Dict, List, Mapping, Optional, Union
from urllib.parse import urlsplit

from ._connection import DeadlineExceeded, DeadlineSocket, seconds_left
from ._proxy import Proxy, authority, proxy_for
from ._shape import is_dict

# Maximum length of an answer that is read, in bytes.
_ANSWER_MAX = 4_000_000
# Maximum number of idle connections, and of threads that are connecting.
_IDLE_MAX = 16
_CONNECTING_MAX = 32
_HEAD_MAX = 16_384
# The value for a used-up budget in the service's problem `type` and in the choice's `reason`.
BUDGET_EXHAUSTED = "budget_exhausted"


class Refused(Exception):
    """The service answered with a status other than 2xx; redirects are not followed."""

    def __init__(self, status: int, body: str, retry_after: Optional[str]) -> None:
        super().__init__(f"HTTP {status}: {body[:200]}")
        self.status = status
        # The body's fields, if the body is a JSON object.
        self.problem = _problem_of(body)
        # The wait that the header `retry-after` asks for, in seconds; 0 without the header.
        self.retry_after_s = seconds_of(retry_after or "")


class InvalidAnswer(Exception):
    """The service's answer is too long, malformed, or no recommendation."""


class Transport:
    """Sends JSON to one service. Raises ValueError for an unusable URL or key."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str],
        proxies: Optional[Mapping[str, str]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("base_url is the http:// or https:// URL of the service, without a query")
        if parts.username or parts.password:
            raise ValueError("base_url has no user: the key goes into api_key")
        if not api_key:
            raise ValueError(
                "api_key is missing: set SEXTANT_KEY, from the service's first start or `sextant keys create`"
            )
        if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
            raise ValueError("api_key is the service's key: visible ASCII characters, at least one")
        if not base_url.isascii() or not base_url.isprintable() or " " in base_url:
            raise ValueError("base_url holds visible ASCII characters only")
        self._key = api_key
        self._host = parts.hostname
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._proxy = proxy_for(parts, urllib.request.getproxies() if proxies is None else proxies)
        self._tls = (ssl_context or ssl.create_default_context()) if parts.scheme == "https" else None
        prefix = parts.path.rstrip("/").removesuffix("/v1")
        # A proxy of plain HTTP wants the whole URL in the request's first line.
        is_forwarded = self._proxy is not None and self._tls is None
        self._target = f"http://{authority(parts)}{prefix}" if is_forwarded else prefix
        forwarded = self._proxy.authorization if self._proxy is not None and is_forwarded else ""
        self._head = "".join(
            f"{name}: {value}\r\n"
            for name, value in (
                ("host", authority(parts)),
                ("authorization", f"Bearer {api_key}"),
                ("accept", "application/json"),
                ("user-agent", "sextant-client-python"),
                ("proxy-authorization", forwarded),
            )
            if value
        )
        self._begin()

    def _begin(self) -> None:
        # The transport's lock and queue are reentrant, because a signal handler or finalizer may
        # interrupt a thread that uses them.
        self._lock = threading.RLock()
        self._permits: "queue.SimpleQueue[None]" = queue.SimpleQueue()
        for _ in range(_CONNECTING_MAX):
            self._permits.put(None)
        self._idle: List[DeadlineSocket] = []

    def reset(self) -> None:
        """Closes the copied connections of a forked process; the parent's stay open."""
        idle = self._idle
        self._begin()
        for connection in idle:
            connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def post(
        self, path: str, body: Mapping[str, Any], timeout_s: float, inline: bool = False
    ) -> Dict[str, Any]:
        """Sends a request once, and returns the JSON object of a 2xx answer. Raises Refused,
        InvalidAnswer, DeadlineExceeded, OSError or HTTPException. If `body` is no JSON, `post`
        raises the error of `json.dumps`. With `inline`, `post` connects in the calling thread,
        where the lookup of a host name has no deadline.
        """
        deadline = time.monotonic() + timeout_s
        # Lone surrogates have no UTF-8 and become question marks.
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        sent = text.encode("utf-8", "replace")
        head = f"POST {self._target}{path} HTTP/1.1\r\n{self._head}"
        framing = f"content-type: application/json\r\ncontent-length: {len(sent)}\r\n\r\n"
        connection = self._take() or (self._connect(deadline) if inline else self._connect_apart(deadline))
        return self._exchange(connection, f"{head}{framing}".encode("ascii") + sent, deadline)

    def _exchange(self, connection: DeadlineSocket, message: bytes, deadline: float) -> Dict[str, Any]:
        is_reusable = False
        try:
            connection.until(deadline)
            connection.sendall(message)
            response = HTTPResponse(connection, method="POST")  # type: ignore[arg-type]
            response.begin()
            data = _read(response)
            is_reusable = response.isclosed() and not response.will_close
        except socket.timeout as error:
            raise DeadlineExceeded("no complete answer in time") from error
        except ValueError as error:  # `http.client` raises it for a chunk's negative size, for example
            raise InvalidAnswer(f"the answer is no HTTP: {error}") from error
        finally:
            if is_reusable:
                self._keep(connection)
            else:
                connection.close()
        if not 200 <= response.status < 300:
            # The text of a refusal is logged and may repeat the API key, so the key is replaced.
            body = self.without_key(data.decode("utf-8", "replace"))
            raise Refused(response.status, body, response.getheader("retry-after"))
        return _object_of(data)

    def without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]")

    def said_by(self, error: BaseException) -> str:
        """Returns the message of an error that `post` raised, without the API key."""
        return text_of(error, self.without_key)

    def _take(self) -> Optional[DeadlineSocket]:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if connection.is_usable(time.monotonic()):
                return connection
            connection.close()

    def _keep(self, connection: DeadlineSocket) -> None:
        connection.idle_since = time.monotonic()
        with self._lock:
            if len(self._idle) < _IDLE_MAX:
                self._idle.append(connection)
                return
        connection.close()

    def _connect_apart(self, deadline: float) -> DeadlineSocket:
        """Makes a new connection in its own thread, because the lookup of a name takes no deadline.
        A connection that is ready only after the deadline is kept for later requests.
        """
        permits = self._permits
        try:
            permits.get(timeout=seconds_left(deadline))
        except queue.Empty:
            raise DeadlineExceeded(f"{_CONNECTING_MAX} connections are in the making") from None
        results: "queue.SimpleQueue[Union[DeadlineSocket, BaseException]]" = queue.SimpleQueue()
        lock, is_late = threading.Lock(), False

        def work() -> None:
            result: Union[DeadlineSocket, BaseException]
            try:
                # Connecting may take 5 seconds, because a later request can use a late connection.
                result = self._connect(time.monotonic() + 5)
            except Exception as error:  # handed to the waiting thread
                result = error
            finally:
                permits.put(None)
            with lock:
                if not is_late:
                    results.put(result)
                    return
            if isinstance(result, DeadlineSocket) and permits is self._permits:
                self._keep(result)

        try:
            try:
                threading.Thread(target=work, name="sextant-connect", daemon=True).start()
            except RuntimeError as error:  # there are too many threads, or the interpreter is ending
                permits.put(None)
                raise OSError(f"no thread for a connection: {error}") from error
            result = results.get(timeout=max(0.0, deadline - time.monotonic()))
        except BaseException as error:  # no connection came in time, or a signal's handler raised
            with lock:
                is_late = True
            if not isinstance(error, queue.Empty):
                raise
            try:
                # A connection may have come after the timeout, just before `is_late` was set.
                result = results.get_nowait()
            except queue.Empty:
                raise DeadlineExceeded("no connection in time") from None
        if isinstance(result, BaseException):
            raise result
        return result

    def _connect(self, deadline: float) -> DeadlineSocket:
        if self._proxy is not None and not self._proxy.host:
            raise OSError("the proxy has no usable http:// URL")
        address = (self._host, self._port) if self._proxy is None else (self._proxy.host, self._proxy.port)
        try:
            raw = socket.create_connection(address, timeout=seconds_left(deadline))
            try:
                raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._tls is not None:
                    if self._proxy is not None:
                        self._tunnel(raw, self._proxy, deadline)
                    raw.settimeout(seconds_left(deadline))
                    raw = self._tls.wrap_socket(raw, server_hostname=self._host)
            except BaseException:
                raw.close()
                raise
        except socket.timeout as error:
            raise DeadlineExceeded("no connection in time") from error
        except UnicodeError as error:
            raise OSError(f"no host has this name: {error}") from error
        return DeadlineSocket(raw, time.monotonic())

    def _tunnel(self, raw: socket.socket, proxy: Proxy, deadline: float) -> None:
        """Asks a proxy for a connection to the service. Raises OSError if the proxy refuses."""
        connection = DeadlineSocket(raw, 0)
        connection.until(deadline)
        target = f"[{self._host}]:{self._port}" if ":" in self._host else f"{self._host}:{self._port}"
        user = f"proxy-authorization: {proxy.authorization}\r\n" if proxy.authorization else ""
        connection.sendall(f"CONNECT {target} HTTP/1.1\r\nhost: {target}\r\n{user}\r\n".encode("ascii"))
        head, byte = b"", bytearray(1)
        # The proxy's answer is read byte by byte, because bytes after its empty line belong to TLS.
        while not head.endswith(b"\r\n\r\n"):
            if len(head) > _HEAD_MAX or connection.recv_into(byte) == 0:
                raise OSError("the proxy did not answer CONNECT")
            head += byte
        status = head.split(b"\r\n", 1)[0].split(b" ")
        if len(status) < 2 or status[1] != b"200":
            raise OSError(f"the proxy refused: {status[1:2]!r}")


def _read(response: HTTPResponse) -> bytes:
    parts: List[bytes] = []
    size = 0
    while True:
        part = response.read(65_536)
        if not part:
            return b"".join(parts)
        size += len(part)
        if size > _ANSWER_MAX:
            raise InvalidAnswer(f"the answer has more than {_ANSWER_MAX} bytes")
        parts.append(part)


def _problem_of(body: str) -> Dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):  # the page of a proxy, for example
        return {}
    return value if is_dict(value) else {}


def seconds_of(retry_after: str) -> float:
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:12])
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except Exception:  # `parsedate_to_datetime` raises errors of many types for what is no date
        return 0.0


def text_of(error: BaseException, changed: Callable[[str], str] = str) -> str:
    """Returns an error's type and message in one line of at most 300 characters."""
    try:
        return plain(changed(f"{type(error).__name__}: {error}"))
    except Exception:  # `__str__` of a foreign error failed
        return type(error).__name__


def plain(text: str) -> str:
    """Returns the first 300 characters of a text; a space replaces each unprintable character."""
    return "".join(each if each.isprintable() else " " for each in text[:300])


def _object_of(data: bytes) -> Dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidAnswer("the answer is not JSON") from error
    if not is_dict(value):
        raise InvalidAnswer("the answer is not a JSON object")
    return value


def reason_of(error: BaseException) -> str:
    """Returns the `reason` of a choice for an error that `Transport.post` raised."""
    if isinstance(error, DeadlineExceeded):
        return "timeout"
    if isinstance(error, Refused):
        return BUDGET_EXHAUSTED if error.problem.get("type") == BUDGET_EXHAUSTED else "refused"
    # The error for a connection that closed without an answer is an OSError and an HTTPException.
    if isinstance(error, OSError):
        return "unreachable"
    if isinstance(error, (InvalidAnswer, HTTPException)):
        return "invalid_answer"
    return "invalid_request"
