"""The bounded queue of reports, which its own thread sends."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from http.client import HTTPException
from typing import Any, Callable, Deque, List, Mapping, NamedTuple, Optional

from ._asking import SENT_AWAY_MAX_S
from ._connection import DeadlineExceeded, bounded_s
from ._transport import InvalidAnswer, Refused, Transport, plain
from .wire import FeedbackRequest

# Maximum number of attempts in a row to send a report.
_ATTEMPTS_MAX = 3
_UNAVAILABLE = (502, 503, 504)
_ATTEMPT_TIMEOUT_S = 3.0
_BACKOFF_S = 0.1
# Time before a process tries a refused API key again, in seconds.
_KEY_RETRY_S = 60.0
# Time that the thread waits for a further report before it ends, in seconds.
_IDLE_S = 10.0


class DroppedReport(NamedTuple):
    """A lost report."""

    # Why the report was lost: "queue_full", "refused" by the service, "unreachable", "not_accepted"
    # (for example, the service does not know the decision) or "invalid" (the report was malformed).
    reason: str
    detail: str
    report: FeedbackRequest


class _Failure(NamedTuple):
    """Why a report failed. If `reason` is "unauthorized", the report waits for a valid API key."""

    reason: str
    detail: str


class KeyTries:
    """Lets the clients of a process try refused API keys again, one client a minute, because the
    service may block an address that sends too many refused keys. `now` is in seconds of
    `time.monotonic`.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._line: List[object] = []
        self._next_at = -math.inf

    def join(self, who: object, now: float) -> None:
        """Puts a client into the queue of clients that will try their refused API keys again."""
        with self._lock:
            if who not in self._line:
                if not self._line:
                    self._next_at = max(self._next_at, now + _KEY_RETRY_S)
                self._line.append(who)

    def leave(self, who: object) -> None:
        with self._lock:
            if who in self._line:
                self._line.remove(who)

    def wait_s(self, who: object, now: float) -> float:
        """Returns the seconds until a client may try its API key, if no client ahead of it leaves."""
        with self._lock:
            place = self._line.index(who) if who in self._line else 0
            return max(0.0, self._next_at - now) + place * _KEY_RETRY_S

    def take(self, who: object, now: float) -> bool:
        """Allows a client to try its API key now; returns false if the client must wait longer."""
        with self._lock:
            if now < self._next_at or not self._line or self._line[0] is not who:
                return False
            del self._line[0]
            self._next_at = now + _KEY_RETRY_S
            return True


_key_tries = KeyTries()


def reset_key_tries() -> None:
    """In a forked process, empties the queue of clients that will try refused API keys."""
    global _key_tries
    _key_tries = KeyTries()


class Reports:
    """Sends reports in their order from a thread of its own. The sending thread starts with a
    report, and ends after ten seconds without a report. While the service refuses the key, reports
    wait.
    """

    def __init__(
        self,
        transport: Transport,
        queue_max: int,
        on_dropped: Callable[[DroppedReport], None],
        warn: Callable[..., None],
        note: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._transport = transport
        self._queue_max = queue_max
        self._on_dropped = on_dropped
        self._warn, self._note = warn, note
        self.reset()

    def reset(self) -> None:
        """Empties the queue; in a forked process, the parent sends the reports that wait."""
        self._changed = threading.Condition()
        self._waiting: Deque[FeedbackRequest] = deque()
        self._is_sending = False
        self._is_closed = False
        self._is_key_refused = False
        self._thread: Optional[threading.Thread] = None
        self.dropped = 0

    @property
    def pending(self) -> int:
        with self._changed:
            return len(self._waiting) + self._is_sending

    def add(self, report: FeedbackRequest) -> bool:
        """Queues a report; returns false if the queue is full or no thread can start."""
        detail = ""
        with self._changed:
            self._is_closed = False
            if len(self._waiting) + self._is_sending >= self._queue_max:
                detail = f"{self._queue_max} reports wait"
            elif self._thread is None or not self._thread.is_alive():
                thread = threading.Thread(target=self._run, name="sextant-reports", daemon=True)
                try:
                    thread.start()
                    self._thread = thread
                except RuntimeError as error:  # the interpreter is ending, or there are too many threads
                    detail = str(error)
            if not detail:
                self._waiting.append(report)
                self._changed.notify_all()
        if detail:
            self.drop("queue_full", detail, report)
        return not detail

    def drop(self, reason: str, detail: str, report: FeedbackRequest) -> None:
        """Counts a report as lost, and calls `on_dropped`."""
        with self._changed:
            self.dropped += 1
        self._on_dropped(DroppedReport(reason, detail, report))

    def key_accepted(self) -> None:
        """Ends the reports' wait for a valid API key, because the service has accepted the client's key."""
        if self._is_key_refused:
            with self._changed:
                self._is_key_refused = False
                self._changed.notify_all()

    def flush(self, timeout_s: float) -> bool:
        """Waits at most `timeout_s` until all reports are sent or lost, and returns whether they are.
        While the API key is refused, `flush` does not wait for the reports in the queue.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: not self._is_sending and (not self._waiting or self._is_key_refused),
                bounded_s(timeout_s),
            )
            return not self._waiting and not self._is_sending

    def close(self) -> None:
        """Ends the thread once the queue is empty or the API key is refused. A report that is added
        after `close` is sent too.
        """
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            report = self._next()
            if report is None:
                return
            failure: Optional[_Failure] = _Failure("unreachable", "the thread was ended")
            try:
                failure = self._deliver(report)
            finally:
                self._delivered(report, failure)

    def _next(self) -> Optional[FeedbackRequest]:
        """Takes the next report to send; returns None if the thread shall end."""
        with self._changed:
            while True:
                now = time.monotonic()
                wait_s = _IDLE_S
                if self._waiting:
                    if not self._is_key_refused or _key_tries.take(self, now):
                        self._is_sending = True
                        return self._waiting.popleft()
                    _key_tries.join(self, now)
                    wait_s = _key_tries.wait_s(self, now)
                is_told = not self._is_closed and self._changed.wait(wait_s)
                if self._is_closed or not (is_told or self._waiting):
                    _key_tries.leave(self)
                    self._thread = None
                    return None

    def _delivered(self, report: FeedbackRequest, failure: Optional[_Failure]) -> None:
        reason, detail = failure or ("", "")
        is_kept = reason == "unauthorized" or (reason == "unreachable" and self._is_key_refused)
        if is_kept:
            self._warn("unauthorized", "reports wait for a key that is refused: %s", detail)
        elif failure is not None:
            self.drop(reason, detail, report)
        with self._changed:
            if is_kept:
                self._waiting.appendleft(report)
            self._is_key_refused, self._is_sending = is_kept, False
            self._changed.notify_all()

    def _deliver(self, report: FeedbackRequest) -> Optional[_Failure]:
        """Sends a report in at most three attempts; returns the failure, or None if it was accepted."""
        failure: Optional[_Failure] = None
        for attempt in range(1, _ATTEMPTS_MAX + 1):
            asked_for = 0.0
            try:
                answer = self._transport.post("/v1/feedback", report, _ATTEMPT_TIMEOUT_S, inline=True)
            except Refused as error:
                if error.status == 401:
                    return _Failure("unauthorized", self._transport.said_by(error))
                reason = "unreachable" if error.status in _UNAVAILABLE else "refused"
                failure = _Failure(reason, self._transport.said_by(error))
                asked_for = min(error.retry_after_s, SENT_AWAY_MAX_S)
                if error.status != 429 and reason == "refused":
                    return failure
            except (DeadlineExceeded, InvalidAnswer, OSError, HTTPException) as error:
                failure = _Failure("unreachable", self._transport.said_by(error))
            except Exception as error:  # the report is no JSON, and its loss is counted
                return _Failure("invalid", self._transport.said_by(error))
            else:
                self._note(answer)
                if answer.get("accepted") is True:
                    return None
                return _Failure("not_accepted", plain(str(answer.get("warnings"))))
            if attempt < _ATTEMPTS_MAX:
                time.sleep(max(asked_for, _BACKOFF_S * 2 ** (attempt - 1)))
        return failure
