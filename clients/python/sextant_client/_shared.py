"""What the choices of one client share."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Any, Callable, Mapping, Optional, Tuple

from ._log import logger
from ._usage import Usage

PriceOf = Callable[[str, Usage], Optional[float]]

# Conversations, recommendations with the model that ran and with the task, models that cool down, count of each.
_REMEMBERED_MAX = 10_000


class _Remembered:
    """A map of strings that forgets the entry that was set longest ago; for all threads."""

    def __init__(self) -> None:
        self._entries: "OrderedDict[str, Any]" = OrderedDict()
        # A signal's handler or a finalizer may come here in the middle of this thread's own visit.
        self._lock = threading.RLock()

    def set(self, key: str, value: Any) -> None:
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            if len(self._entries) > _REMEMBERED_MAX:
                self._entries.popitem(last=False)

    def get(self, key: Optional[str]) -> Any:
        if key is None:
            return None
        with self._lock:
            return self._entries.get(key)


class Shared:
    """Which models run, cool down and hold conversations; and where reports go."""

    def __init__(
        self,
        models: Tuple[str, ...],
        default_model_id: str,
        cooldown_s: float,
        price_of: Optional[PriceOf],
        report: Callable[[Mapping[str, Any]], bool],
        score: Callable[..., bool],
    ) -> None:
        self.default_model_id = default_model_id
        self.report, self.score = report, score
        self._models = models
        self._cooldown_s = cooldown_s
        self._price_of = price_of
        self.reset()

    def reset(self) -> None:
        """Begins anew in a forked process, where another thread of the parent may hold a lock."""
        self.conversations, self.ran, self.tasks, self._cooling = (_Remembered() for _ in range(4))

    def is_ours(self, model_id: str) -> bool:
        return model_id in self._models

    def is_cooling(self, model_id: str) -> bool:
        until = self._cooling.get(model_id)
        return until is not None and time.monotonic() < until

    def cool_down(self, model_id: str) -> None:
        self._cooling.set(model_id, time.monotonic() + self._cooldown_s)

    def began(
        self, model_id: str, recommendation_id: Optional[str], conversation_id: Optional[str]
    ) -> None:
        """A call of the model began: it holds the conversation, and a verdict of its decision is on it."""
        if recommendation_id is not None:
            self.ran.set(recommendation_id, model_id)
        if conversation_id is not None:
            self.conversations.set(conversation_id, model_id)

    def price_of(self, model_id: str, usage: Usage) -> Optional[float]:
        try:
            return None if self._price_of is None else self._price_of(model_id, usage)
        except Exception:  # the function is the caller's; the report goes without a bill
            logger.exception("price_of failed")
            return None
