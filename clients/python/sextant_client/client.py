"""The client: chooses a model for a task and never fails, and takes verdicts on what was chosen."""

from __future__ import annotations

import atexit
import hashlib
import json
import math
import os
import ssl
import time
import weakref
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, TypeVar, Union

from ._asking import Asking, text_of
from ._choice import Choice, Chosen, UsageReader, spelled
from ._log import logger
from ._reports import DroppedReport, Reports
from ._shared import PriceOf, Shared
from ._transport import Transport
from ._usage import usage_of
from .wire import Constraints, RecommendResponse, TaskInput

A = TypeVar("A")

# Ends of a task that are sent, characters; the service keeps 3,000 and 1,000 of them.
_TASK_HEAD = 6_000
_TASK_TAIL = 2_000
_SOURCES = ("gate", "judge", "human", "none")

OnDefault = Callable[[str, str], None]
OnDropped = Callable[[DroppedReport], None]


def _excerpt(task: str) -> str:
    return task if len(task) <= _TASK_HEAD + _TASK_TAIL else f"{task[:_TASK_HEAD]}\n{task[-_TASK_TAIL:]}"


def _quality(value: Any) -> Optional[float]:
    """A number from 0 to 1, of any numeric type; None for anything else."""
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except Exception:  # it has no number
        return None
    return number if 0 <= number <= 1 else None


def _shown(value: Any) -> str:
    try:
        return repr(value)[:100]
    except Exception:  # `__repr__` of a foreign value failed
        return type(value).__name__


def _outcome(quality: float) -> str:
    """The label of a quality, as the specification advises clients."""
    return "success" if quality >= 0.8 else "partial" if quality >= 0.4 else "failure"


class Sextant:
    """Asks the service which model should run a task, and falls back to the default model.

    `choose` never raises: it waits `deadline_ms` at most, tries once, and on any failure names the default
    model, with `source` "default", a `reason`, and a call of `on_default`. Reports are sent by a thread of
    their own. One client serves all threads of a program.

    base_url: the URL of the service, without `/v1`.
    models: ids of the models that may run, as the program spells them; a mapping gives its keys.
    default_model_id: the model that runs whenever the service cannot say; one of `models`.
    deadline_ms: how long `choose` waits in all, > 0.
    cooldown_s: how long a model is left out after its provider was out, > 0.
    shadow: asks and records, and always runs the default.
    namespace, cost_quality_tradeoff: fields of every request.
    price_of: the bill of a call in US dollars, where the program knows it better than list prices do.
    on_default: called with reason and detail when the default runs because the service could not say; a
        warning in the log "sextant_client" by default, at most one a minute.
    on_dropped: called for every report that is lost, in any thread; a warning in that log by default.
    queue_max: most reports that wait, count >= 1.
    exit_flush_s: how long the end of the program waits for reports, >= 0.
    proxies: URLs by scheme, as `urllib.request.getproxies` gives them, which is the default; `{}` for none.

    Raises ValueError if an argument is wrong.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        models: Iterable[str],
        default_model_id: str,
        *,
        deadline_ms: float = 400,
        cooldown_s: float = 30,
        shadow: bool = False,
        namespace: Optional[str] = None,
        cost_quality_tradeoff: Optional[float] = None,
        price_of: Optional[PriceOf] = None,
        on_default: Optional[OnDefault] = None,
        on_dropped: Optional[OnDropped] = None,
        queue_max: int = 1_000,
        exit_flush_s: float = 2.0,
        proxies: Optional[Mapping[str, str]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self.models = () if isinstance(models, str) else tuple(models)
        if not all(isinstance(model_id, str) and model_id for model_id in self.models):
            raise ValueError("models are ids: texts that are not empty")
        if default_model_id not in self.models:
            raise ValueError("default_model_id is not one of models")
        if not deadline_ms > 0 or not cooldown_s > 0 or not queue_max >= 1 or not exit_flush_s >= 0:
            raise ValueError("deadline_ms and cooldown_s are > 0, queue_max >= 1 and exit_flush_s >= 0")
        self.default_model_id = default_model_id
        self._transport = Transport(base_url, api_key, proxies, ssl_context)
        self.deadline_ms = deadline_ms
        self._is_shadow = shadow
        self._fields = {"namespace": namespace, "cost_quality_tradeoff": cost_quality_tradeoff}
        self._on_default = on_default
        self._on_dropped = on_dropped
        self._exit_flush_s = exit_flush_s
        self._said_at: Dict[str, float] = {}
        self._asking = Asking(self._transport)
        self._shared = Shared(
            self.models, default_model_id, cooldown_s, price_of, self.report, self.score
        )
        self._reports = Reports(self._transport, queue_max, self._dropped)
        _clients.add(self)

    def choose(
        self,
        task: Union[str, TaskInput],
        *,
        conversation_id: Optional[str] = None,
        models: Optional[Iterable[str]] = None,
        constraints: Optional[Constraints] = None,
        deadline_ms: Optional[float] = None,
        **fields: Any,
    ) -> Choice:
        """The model for a task; never raises.

        conversation_id: turns of one conversation, whose model holds a warm prompt cache.
        models: those of the client's models that may run this task; all by default.
        constraints, fields: further fields of the request, as they are on the wire; these win.
        """
        try:
            conversation = None if conversation_id is None else str(conversation_id)
            chosen = self._chosen(task, conversation, models, constraints, deadline_ms, fields)
        except Exception as error:
            conversation = None
            chosen = self._default("invalid_request", text_of(error))
        return Choice(self._shared, chosen, conversation)

    def choose_default(self, reason: str, detail: str) -> Choice:
        """The default model, for a reason that lies outside this client."""
        return Choice(self._shared, self._default(reason, detail), None)

    def run(
        self,
        task: Union[str, TaskInput],
        work: Callable[[str], A],
        *,
        usage: Optional[UsageReader] = usage_of,
        **options: Any,
    ) -> A:
        """Chooses a model and runs `work` with its id: `choose(task, **options).run(work)`."""
        return self.choose(task, **options).run(work, usage=usage)

    def score(
        self,
        choice: Union[Choice, str, None],
        quality: Union[float, bool],
        source: str = "gate",
        *,
        model_id: Optional[str] = None,
        notes: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Reports a verdict on a choice or a recommendation's id, also in another process than chose.

        quality: from 0 to 1, or whether it was good. source: "gate" (a check), "judge" or "human".
        model_id: the model that ran; by default the one that ran here, else the one that was reported.
        The same report counts once; another `idempotency_key` makes it another one.

        False if there is nothing to report to, the quality is no such number, or the queue is full.
        """
        recommendation_id = choice.recommendation_id if isinstance(choice, Choice) else choice
        if recommendation_id is None:
            return False
        value = _quality(quality)
        report: Any = {"recommendation_id": recommendation_id, "evidence_source": source}
        if value is None or source not in _SOURCES or not isinstance(recommendation_id, str):
            self._reports.drop("invalid", f"quality {_shown(quality)}, source {_shown(source)}", report)
            return False
        ran = choice.ran_model_id if isinstance(choice, Choice) else self._shared.ran.get(recommendation_id)
        optional = {"chosen_model_id": model_id or ran, "notes": notes, "idempotency_key": idempotency_key}
        return self.report({**report, "outcome": _outcome(value), "quality_score": value, **optional})

    def report(self, report: Mapping[str, Any]) -> bool:
        """Puts a `wire.FeedbackRequest` of any shape into the queue; false when it is full."""
        try:
            given: Any = {name: value for name, value in report.items() if value is not None}
            # One key for all attempts. The service's own one would be the same for usage and verdict.
            text = json.dumps(given, sort_keys=True)
        except Exception as error:
            self._reports.drop("invalid", text_of(error), report)  # type: ignore[arg-type]
            return False
        given.setdefault("idempotency_key", f"python:{hashlib.sha256(text.encode()).hexdigest()[:32]}")
        return self._reports.add(given)

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Waits until all reports have gone, at most `timeout_s`; whether they have."""
        return self._reports.flush(timeout_s)

    @property
    def pending(self) -> int:
        """Reports that wait or are under way, count."""
        return self._reports.pending

    @property
    def dropped(self) -> int:
        """Reports that were lost, count."""
        return self._reports.dropped

    def close(self, timeout_s: float = 5.0) -> bool:
        """Flushes, and ends the thread and the idle connections; whether all reports have gone.

        A client that is used again begins anew.
        """
        is_done = self.flush(timeout_s)
        self._reports.close()
        self._transport.close()
        return is_done

    def _chosen(
        self,
        task: Union[str, TaskInput],
        conversation_id: Optional[str],
        models: Optional[Iterable[str]],
        constraints: Optional[Constraints],
        deadline_ms: Optional[float],
        fields: Dict[str, Any],
    ) -> Chosen:
        deadline = time.monotonic() + (self.deadline_ms if deadline_ms is None else deadline_ms) / 1_000
        body = self._request(
            task, conversation_id, self.models if models is None else models, constraints, fields
        )
        answer, reason, detail = self._asking.ask(body, deadline)
        if answer is None:
            return self._default(reason or "", detail)
        picked = spelled(answer["recommended_model"])
        if picked not in self.models:
            return self._default("unknown_model", f"the service named {picked}", answer)
        if self._is_shadow:
            return Chosen(self.default_model_id, "default", "shadow", f"the service named {picked}", answer)
        return Chosen(picked, "service", None, "", answer)

    def _request(
        self,
        task: Union[str, TaskInput],
        conversation_id: Optional[str],
        models: Iterable[str],
        constraints: Optional[Constraints],
        fields: Dict[str, Any],
    ) -> Dict[str, Any]:
        given: Dict[str, Any] = {"task": task} if isinstance(task, str) else dict(task)
        given["task"] = _excerpt(given["task"])
        candidates = list(models)
        excluded = [model_id for model_id in candidates if self._shared.is_cooling(model_id)]
        limits: Dict[str, Any] = {"candidate_models": candidates}
        if excluded and len(excluded) < len(candidates):
            limits["excluded_models"] = excluded
        body: Dict[str, Any] = {
            "explain": False,
            "detail": "short",
            "max_candidates": min(max(len(candidates), 8), 64),
            "baseline_model_id": self.default_model_id,
            "incumbent_model_id": self._shared.conversations.get(conversation_id),
            **self._fields,
            **fields,
            # Not to be said of one question: the model that it names would run all the same.
            "shadow": True if self._is_shadow else None,
            "task": given,
            "constraints": {**limits, **(constraints or {})},
        }
        return {name: value for name, value in body.items() if value is not None}

    def _default(self, reason: str, detail: str, answer: Optional[RecommendResponse] = None) -> Chosen:
        try:
            if self._on_default is not None:
                self._on_default(reason, detail)
            elif self._may_say("default"):
                logger.warning("%s runs by default (%s): %s", self.default_model_id, reason, detail)
        except Exception:  # the callback is the caller's, and so is its failure
            logger.exception("on_default failed")
        return Chosen(self.default_model_id, "default", reason, detail, answer)

    def _dropped(self, dropped: DroppedReport) -> None:
        try:
            if self._on_dropped is not None:
                self._on_dropped(dropped)
            elif self._may_say("dropped"):
                logger.warning("a report was lost (%s): %s", dropped.reason, dropped.detail)
        except Exception:  # as above; the thread that sends reports must live on
            logger.exception("on_dropped failed")

    def _may_say(self, what: str) -> bool:
        """Whether a warning of this kind may be logged: at most one a minute."""
        now = time.monotonic()
        if now - self._said_at.get(what, -60.0) < 60:
            return False
        self._said_at[what] = now
        return True

    def _after_fork(self) -> None:
        self._transport.reset()
        self._reports.reset()
        self._asking.reset()
        self._shared.reset()


_clients: "weakref.WeakSet[Sextant]" = weakref.WeakSet()


def _reset_all() -> None:
    for client in list(_clients):
        client._after_fork()


def _flush_all() -> None:
    """Waits for the reports of every client; in all at most as long as the most patient one allows."""
    began = time.monotonic()
    for client in list(_clients):
        client.flush(max(0.0, began + client._exit_flush_s - time.monotonic()))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
atexit.register(_flush_all)
