"""Asks the service once, within the deadline; and does not ask for a moment while it is out."""

from __future__ import annotations

import threading
import time
from typing import Any, Dict, NamedTuple, Optional

from ._transport import InvalidAnswer, Refused, Transport, reason_of
from .wire import RecommendResponse

# Failures in a row after which the service is not asked, count; how long it is then not asked, s.
_FAILURES_MAX = 3
_PAUSE_S = 5.0
# How long it is not asked after a 429, at least and at most, s; its `retry-after` decides.
_SENT_AWAY_S = 1.0
_SENT_AWAY_MAX_S = 60.0


class Asked(NamedTuple):
    """An answer, or why there is none."""

    answer: Optional[RecommendResponse]
    # Why the default runs; None with an answer.
    reason: Optional[str]
    detail: str


def text_of(error: BaseException) -> str:
    """What an error says, at most 300 characters."""
    try:
        return f"{type(error).__name__}: {error}"[:300]
    except Exception:  # `__str__` of a foreign error failed
        return type(error).__name__


class Asking:
    """One service to ask, for all threads of a process."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._pause = _Pause()

    def ask(self, body: Dict[str, Any], deadline: float) -> Asked:
        """One attempt until `deadline`, in seconds of `time.monotonic`; never raises an Exception."""
        now = time.monotonic()
        if self._pause.is_on(now, deadline):
            return Asked(None, "paused", "the service failed several times, and is not asked for a moment")
        try:
            answer = _checked(self._transport.post("/v1/recommend", body, deadline - now))
        except Exception as error:
            reason = reason_of(error)
            # A refusal of one request, such as 400 or 422, is an answer: the service is there.
            if reason == "invalid_request" or (isinstance(error, Refused) and 300 <= error.status < 500):
                self._pause.answered()
            else:
                self._pause.failed()
            if isinstance(error, Refused) and error.status == 429:
                asked_for = _SENT_AWAY_S if error.retry_after_s is None else error.retry_after_s
                self._pause.hold(min(max(asked_for, _SENT_AWAY_S), _SENT_AWAY_MAX_S))
            return Asked(None, reason, text_of(error))
        self._pause.answered()
        return Asked(answer, None, "")

    def reset(self) -> None:
        """Begins anew in a forked process."""
        self._pause = _Pause()


class _Pause:
    """Whether the service is asked: not for 5 s after three failures in a row or a 429."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failures = 0
        self._until: Optional[float] = None

    def is_on(self, now: float, deadline: float) -> bool:
        with self._lock:
            if self._until is None:
                return False
            if now < self._until:
                return True
            # One question decides whether the pause is over; those beside it do not wait for it.
            self._until = deadline
            return False

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= _FAILURES_MAX:
                self._until = time.monotonic() + _PAUSE_S

    def hold(self, pause_s: float) -> None:
        with self._lock:
            self._until = time.monotonic() + pause_s

    def answered(self) -> None:
        with self._lock:
            self._failures, self._until = 0, None


def _checked(answer: Dict[str, Any]) -> RecommendResponse:
    """An answer that has what is read of it. Raises InvalidAnswer for another."""
    model, ranked, fallback = (answer.get(name) for name in ("recommended_model", "ranked", "fallback_model"))
    models = [model, *(ranked if isinstance(ranked, list) else [None])]
    models += [] if fallback is None else [fallback]
    recommendation_id = answer.get("recommendation_id")
    is_named = isinstance(recommendation_id, str) and recommendation_id != ""
    if not is_named or not all(map(_is_model, models)):
        raise InvalidAnswer("the answer is no recommendation")
    return answer  # type: ignore[return-value]


def _is_model(model: Any) -> bool:
    if not isinstance(model, dict):
        return False
    spelling, success = model.get("requested_model_id"), model.get("predicted_success", 0)
    return (
        isinstance(model.get("model_id"), str)
        and (spelling is None or isinstance(spelling, str))
        and isinstance(model.get("provider", ""), str)
        and isinstance(success, (int, float))
    )
