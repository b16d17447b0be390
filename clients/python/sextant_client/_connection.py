"""A connected socket with one deadline for all its reads and writes."""

from __future__ import annotations

import io
import select
import socket
import time
from typing import Any, Optional

# Maximum idle time of a connection that is used again, in seconds. The service closes connections
# that are idle for 65 s.
_IDLE_MAX_S = 50.0

# Maximum wait of one operation, in seconds: eleven days.
_WAIT_MAX_S = 1e6


class DeadlineExceeded(Exception):
    """No complete answer came in time."""


class DeadlineSocket:
    """Has the methods of a socket that `HTTPResponse` needs."""

    def __init__(self, raw: socket.socket, idle_since: float) -> None:
        self.raw = raw
        self.idle_since = idle_since
        self._deadline = 0.0

    def until(self, deadline: float) -> None:
        """Sets the deadline of further operations, in seconds of `time.monotonic`."""
        self._deadline = deadline

    def _arm(self) -> None:
        self.raw.settimeout(seconds_left(self._deadline))

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._arm()
            rest = rest[self.raw.send(rest) :]

    def recv_into(self, buffer: Any) -> int:
        self._arm()
        return self.raw.recv_into(buffer)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Received(self))

    def is_usable(self, now: float) -> bool:
        """Whether an idle connection can be used again. An idle connection with bytes to read
        counts as closed by the service.
        """
        return now - self.idle_since < _IDLE_MAX_S and not _is_readable(self.raw)

    def close(self) -> None:
        self.raw.close()


class _Received(io.RawIOBase):
    """Reads the bytes of one answer. Closing this reader leaves the connection open."""

    def __init__(self, connection: DeadlineSocket) -> None:
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._connection.recv_into(buffer)


def seconds_left(deadline: float) -> float:
    """Returns the seconds until a deadline, > 0, at most eleven days. Raises DeadlineExceeded if the
    deadline is over.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise DeadlineExceeded("the deadline is over")
    return bounded_s(left)


def bounded_s(seconds: Optional[float]) -> float:
    """Limits a wait in seconds, or no limit (None), to eleven days: infinity is refused by waits."""
    return _WAIT_MAX_S if seconds is None else min(seconds, _WAIT_MAX_S)


def _is_readable(raw: socket.socket) -> bool:
    # `poll` comes first, because `select` refuses file descriptors above 1,023.
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(raw, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([raw], [], [], 0)[0])
