"""The queue of reports: bounded, sent by a thread of its own, and counted where it loses one."""

from __future__ import annotations

import threading
import time
from collections import deque
from http.client import HTTPException
from typing import Any, Callable, Deque, Dict, NamedTuple, Optional

from ._connection import DeadlineExceeded
from ._transport import InvalidAnswer, Refused, Transport
from .wire import FeedbackRequest

# Attempts of a report, count, and the statuses after which there is another: the specification's.
_ATTEMPTS_MAX = 3
_UNAVAILABLE = (502, 503, 504)
_ATTEMPT_TIMEOUT_S = 3.0
_BACKOFF_S = 0.1


class DroppedReport(NamedTuple):
    """A report that will not arrive."""

    # "queue_full", "refused" by the service, "unreachable", "not_accepted" (the service does not know the
    # decision, for example) or "invalid" (the score is none).
    reason: str
    detail: str
    report: FeedbackRequest


class Reports:
    """Sends reports in their order, off the caller's path.

    The thread starts with the first report and never keeps the process alive.
    """

    def __init__(
        self, transport: Transport, queue_max: int, on_dropped: Callable[[DroppedReport], None]
    ) -> None:
        self._transport = transport
        self._queue_max = queue_max
        self._on_dropped = on_dropped
        self.reset()

    def reset(self) -> None:
        """Begins anew in a forked process, whose parent sends what was waiting."""
        self._changed = threading.Condition()
        self._waiting: Deque[FeedbackRequest] = deque()
        self._is_sending = False
        self._is_closed = False
        self._thread: Optional[threading.Thread] = None
        self.dropped = 0

    @property
    def pending(self) -> int:
        """Reports that wait or are under way, count."""
        with self._changed:
            return len(self._waiting) + self._is_sending

    def add(self, report: FeedbackRequest) -> bool:
        """Puts a report into the queue; false when it is full or no thread can be started."""
        detail = ""
        with self._changed:
            self._is_closed = False
            if len(self._waiting) + self._is_sending >= self._queue_max:
                detail = f"{self._queue_max} reports wait"
            elif self._thread is None:
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
        """Counts a report as lost, and says so."""
        with self._changed:
            self.dropped += 1
        self._on_dropped(DroppedReport(reason, detail, report))

    def flush(self, timeout_s: float) -> bool:
        """Waits until nothing waits or is under way, at most `timeout_s`; whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._is_sending, timeout_s)

    def close(self) -> None:
        """Ends the thread when nothing waits; a further report starts another."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting) or self._is_closed)
                if not self._waiting:
                    self._thread = None
                    return
                report = self._waiting.popleft()
                self._is_sending = True
            try:
                self._send(report)
            finally:
                with self._changed:
                    self._is_sending = False
                    self._changed.notify_all()

    def _send(self, report: FeedbackRequest) -> None:
        reason, detail = "unreachable", ""
        for attempt in range(_ATTEMPTS_MAX):
            if attempt > 0:
                time.sleep(_BACKOFF_S * 2 ** (attempt - 1))
            try:
                answer = self._transport.post("/v1/feedback", report, _ATTEMPT_TIMEOUT_S, inline=True)
            except Refused as error:
                reason, detail = "refused", str(error)
                if error.status not in _UNAVAILABLE:
                    break
                reason = "unreachable"
            except (DeadlineExceeded, InvalidAnswer, OSError, HTTPException) as error:
                reason, detail = "unreachable", f"{type(error).__name__}: {error}"
            except Exception as error:  # no JSON could be made of it: the loss is counted
                reason, detail = "invalid", f"{type(error).__name__}: {error}"
                break
            else:
                if answer.get("accepted") is True:
                    return
                reason, detail = "not_accepted", str(answer.get("warnings"))[:300]
                break
        self.drop(reason, detail, report)
