"""Asks the service once, within the deadline."""

from __future__ import annotations

import threading
import time
from typing import Any, Dict, List, NamedTuple, Optional

from ._shape import is_dict, is_list
from ._transport import BUDGET_EXHAUSTED, InvalidAnswer, Refused, Transport, plain, reason_of
from .wire import RecommendResponse

# Number of failures in a row that start a pause, and the length of the pause in seconds.
_FAILURES_MAX = 3
_PAUSE_S = 5.0
# Minimum and maximum of the pause after a 429, in seconds.
_SENT_AWAY_S = 1.0
SENT_AWAY_MAX_S = 60.0


class Asked(NamedTuple):
    """The service's answer, or the reason why there is none."""

    answer: Optional[RecommendResponse]
    # Why the service gave no answer; None if it gave one.
    reason: Optional[str]
    detail: str
    # Time until the budget's period ends, s >= 0, if the reason is a used-up budget; otherwise 0.
    retry_after_s: float = 0.0


class Asking:
    """Sends one client's questions to the service. After three failures in a row, or a 429, the
    client pauses. A used-up budget starts no pause. While the budget is used up, every failure has
    the reason "budget_exhausted".
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.reset()

    def reset(self) -> None:
        """Ends the client's pause and forgets that the budget was used up."""
        self._pause = _Pause()
        # When the used-up budget's period ends, in seconds of `time.monotonic`, and the service's
        # message.
        self._exhausted = (0.0, "")

    def ask(self, body: Dict[str, Any], deadline: float) -> Asked:
        """Asks at most once, until `deadline` in seconds of `time.monotonic`. Raises no Exception."""
        now = time.monotonic()
        if now >= deadline:
            return self.unasked("timeout", "the deadline was over before the question")
        if self._pause.is_on(now):
            return self.unasked("paused", "the service failed several times, and is not asked for a moment")
        try:
            answer = _checked(self._transport.post("/v1/recommend", body, deadline - now))
        except Exception as error:
            return self._failed(error)
        self._pause.answered()
        self._exhausted = (0.0, "")
        return Asked(answer, None, "")

    def unasked(self, reason: str, detail: str) -> Asked:
        """Makes the result of a question that got no answer."""
        until, said = self._exhausted
        left = until - time.monotonic()
        return Asked(None, reason, detail) if left <= 0 else Asked(None, BUDGET_EXHAUSTED, said, left)

    def _failed(self, error: Exception) -> Asked:
        reason = reason_of(error)
        refused = error if isinstance(error, Refused) else None
        if refused is not None and reason == BUDGET_EXHAUSTED:
            said = plain(str(refused.problem.get("detail")))
            self._exhausted = (time.monotonic() + refused.retry_after_s, said)
            self._pause.answered()
            return Asked(None, reason, said, refused.retry_after_s)
        if refused is not None and refused.status == 429:
            self._pause.hold(min(max(refused.retry_after_s, _SENT_AWAY_S), SENT_AWAY_MAX_S))
        # A refusal such as 400 or 422 shows that the service is up, so the pause ends.
        elif reason == "invalid_request" or (
            refused is not None and 300 <= refused.status < 500 and refused.status != 401
        ):
            self._pause.answered()
        else:
            self._pause.failed()
        return self.unasked(reason, self._transport.said_by(error))


class _Pause:
    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._failures = 0
        self._until: Optional[float] = None

    def is_on(self, now: float) -> bool:
        with self._lock:
            if self._until is None:
                return False
            if now < self._until:
                return True
            # After a pause, one question tests the service. A new pause begins before the question
            # that tests the service, so that other threads' questions fail at once.
            self._until = now + _PAUSE_S
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
    """Raises InvalidAnswer if an id or a model in the answer is malformed."""
    model, ranked, fallback = (answer.get(name) for name in ("recommended_model", "ranked", "fallback_model"))
    models: List[Any] = [model, *(ranked if is_list(ranked) else [None])]
    models += [] if fallback is None else [fallback]
    recommendation_id = answer.get("recommendation_id")
    is_named = isinstance(recommendation_id, str) and recommendation_id != ""
    if not is_named or not all(map(_is_model, models)):
        raise InvalidAnswer("the answer is no recommendation")
    return answer  # type: ignore[return-value]


def _is_model(model: Any) -> bool:
    if not is_dict(model):
        return False
    spelling, success = model.get("requested_model_id"), model.get("predicted_success", 0)
    return (
        isinstance(model.get("model_id"), str)
        and (spelling is None or isinstance(spelling, str))
        and isinstance(model.get("provider", ""), str)
        and isinstance(success, (int, float))
    )
