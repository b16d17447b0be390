"""The state that the choices of one client share."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Any, Callable, Mapping, Optional, Tuple

from ._log import logger
from ._outage import MODEL, OUTAGE
from ._usage import Usage

PriceOf = Callable[[str, Usage], Optional[float]]

# Time in seconds for which a model is left out after a refusal of the model or of a parameter.
_REFUSED_S = 3_600.0
# Maximum number of entries of a `Remembered` map.
_REMEMBERED_MAX = 10_000


class Remembered:
    """A map that threads may share. A full map forgets the entry that was set longest ago."""

    def __init__(self) -> None:
        self._entries: "OrderedDict[str, Any]" = OrderedDict()
        # The lock is reentrant: a signal handler or finalizer may run in the thread that holds it.
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

    def forget(self, key: str) -> None:
        with self._lock:
            self._entries.pop(key, None)


class Shared:
    """Records failed models, and the newest model of a conversation or a recommendation."""

    def __init__(
        self,
        models: Tuple[str, ...],
        default_model_id: str,
        cooldown_s: float,
        price_of: Optional[PriceOf],
        report: Callable[[Mapping[str, Any]], bool],
        score: Callable[..., bool],
        warn: Callable[..., None],
    ) -> None:
        self.default_model_id = default_model_id
        self.report, self.score, self.warn = report, score, warn
        self.models = models
        self.cooldown_s = cooldown_s
        self._price_of = price_of
        self.reset()

    def reset(self) -> None:
        """Makes empty maps, also in a forked process, where the locks of the old maps may be held."""
        self.conversations, self.ran, self.tasks, self._cooling = (Remembered() for _ in range(4))
        # When refusals end, in seconds of `time.monotonic`, by model or by model and parameters.
        self.refused = Remembered()

    def is_ours(self, model_id: str) -> bool:
        return model_id in self.models

    def is_cooling(self, model_id: str) -> bool:
        return _is_before(self._cooling.get(model_id))

    def cool_down(self, model_id: str) -> None:
        self._cooling.set(model_id, time.monotonic() + self.cooldown_s)

    def began(
        self, model_id: str, recommendation_id: Optional[str], conversation_id: Optional[str]
    ) -> None:
        """Records the chosen or running model of a recommendation and a conversation."""
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


class LeftOut:
    """Tells which failed models are left out of questions with the parameter names `parameters`."""

    def __init__(self, shared: Shared, parameters: str) -> None:
        self._shared = shared
        self._parameters = parameters

    def _keys(self, model_id: str) -> Tuple[str, str]:
        return model_id, f"{model_id} {self._parameters}"

    def is_refused(self, model_id: str) -> bool:
        return any(_is_before(self._shared.refused.get(key)) for key in self._keys(model_id))

    def is_on(self, model_id: str) -> bool:
        return self._shared.is_cooling(model_id) or self.is_refused(model_id)

    def is_excluded(self, model_id: str) -> bool:
        """Whether a question should exclude the model."""
        if self.is_on(model_id):
            return True
        # When the hour of a refused model is over, only one question per `cooldown_s` may name the
        # model, until a call succeeds.
        for key in self._keys(model_id):
            if self._shared.refused.get(key) is not None:
                self._shared.refused.set(key, time.monotonic() + self._shared.cooldown_s)
        return False

    def faulted(self, model_id: str, fault: str, error: BaseException) -> bool:
        """Records a provider's fault, and returns whether another model may run."""
        shared = self._shared
        own, fitting = self._keys(model_id)
        status = getattr(error, "status_code", None) or type(error).__name__
        if fault == OUTAGE:
            shared.cool_down(model_id)
        elif fault == MODEL:
            shared.refused.set(own, time.monotonic() + _REFUSED_S)
            shared.warn(f"refused {own}", "%s is not to be had here (%s)", model_id, status)
            # If every model is refused, the models are not the cause, so their refusals are
            # forgotten.
            if all(shared.refused.get(each) is not None for each in shared.models):
                self._forget(0)
        elif model_id == shared.default_model_id:
            # If even the default model refuses a parameter, the parameter is the caller's mistake.
            self._forget(1)
            return False
        else:
            shared.refused.set(fitting, time.monotonic() + _REFUSED_S)
            shared.warn(f"parameters {fitting}", "%s refuses a parameter (%s), the default runs", model_id, status)
        return True

    def succeeded(self, model_id: str) -> None:
        for key in self._keys(model_id):
            self._shared.refused.forget(key)

    def _forget(self, place: int) -> None:
        for each in self._shared.models:
            self._shared.refused.forget(self._keys(each)[place])


def _is_before(until: Optional[float]) -> bool:
    return until is not None and time.monotonic() < until
