"""The client chooses a model for a task, and takes verdicts on its choices."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import atexit
import hashlib
import json
import math
import os
import ssl
import threading
import time
import weakref
from typing import Any, Callable, Collection, Dict, Iterable, List, Mapping, Optional, Tuple, TypeVar, Union

from ._asking import Asked, Asking
from ._budget import BudgetExhausted
from ._choice import Choice, Chosen, Routed, UsageReader, spelled
from ._connection import bounded_s
from ._log import logger, warn
from ._reports import DroppedReport, Reports, reset_key_tries
from ._shape import is_list
from ._shared import LeftOut, PriceOf, Shared
from ._transport import BUDGET_EXHAUSTED, Transport, plain, text_of
from ._usage import usage_of
from ._verdict import outcome_of, quality_of
from ._verify import Attempt, Verified, VerifiedRun
from .wire import Constraints, RecommendResponse, TaskInput

A = TypeVar("A")

# Number of characters that are sent of a long task's beginning and end; the service keeps fewer.
_TASK_HEAD = 6_000
_TASK_TAIL = 2_000
# Maximum number of warnings that are read of one answer.
_WARNINGS_READ = 32
# Maximum length of an id that the service accepts, in UTF-16 units.
_ID_MAX = 256
_SOURCES = ("gate", "judge", "human", "self_check", "no_result", "none")

OnDefault = Callable[[str, str], None]
OnDropped = Callable[[DroppedReport], None]
OnBudgetExhausted = Callable[[BudgetExhausted], Optional[str]]


def _excerpt(task: str) -> str:
    return task if len(task) <= _TASK_HEAD + _TASK_TAIL else f"{task[:_TASK_HEAD]}\n{task[-_TASK_TAIL:]}"


def _is_id(value: Any) -> bool:
    """Whether the service reads a value as an id."""
    if not isinstance(value, str) or not value or "\0" in value:
        return False
    try:
        return len(value.encode("utf-16-le")) <= 2 * _ID_MAX
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _names_of(parameters: Optional[Collection[str]]) -> str:
    """Returns the sorted names of a call's parameters as a text, empty if they cannot be read."""
    try:
        return " ".join(sorted(map(str, parameters or ())))
    except Exception:  # it is the caller's, and no reason to choose no model
        return ""


def _raise(problem: BudgetExhausted) -> Optional[str]:
    raise problem


def _shown(value: Any) -> str:
    try:
        return repr(value)[:100]
    except Exception:  # `__repr__` of a foreign value failed
        return type(value).__name__


class Sextant:
    """Asks the service which model should run a task, and falls back to the default model.

    `choose` waits `deadline_ms` at most, asks at most once, and on a failure names the default
    model, with `source` "default" and a `reason`. `choose` raises only if the account's budget is
    used up and `on_budget_exhausted` is missing, raises, or names an unknown model. Another thread
    sends the reports. One client serves all threads of a program.

    - base_url: the URL of the service, with or without `/v1`.
    - api_key: a key of the account; None is refused.
    - models: ids of the models that may run, as the program spells them, or a mapping by these ids.
    - default_model_id: the model that runs when the service gives no answer; one of `models`.
    - aliases: ids of retired models that the program still names, each with the id that replaces
        it.
    - deadline_ms: maximum time that `choose` waits, in ms, > 0; may be infinite.
    - cooldown_s: time for which questions leave out a model after an outage of its provider, in
        seconds, > 0.
    - shadow: whether the client asks the service but always runs the default model.
    - namespace, cost_quality_tradeoff: fields that are sent in every request.
    - price_of: returns the cost of a call in US dollars, for a program that knows its prices.
    - on_default: called with reason and detail when no usable recommendation comes and the default
        model runs.
    - on_budget_exhausted: called with a `BudgetExhausted` when the account's budget is used up.
        `on_budget_exhausted` returns one of `models` to run, or None for the default model. In
        shadow mode `on_budget_exhausted` is not called.
        By default `on_budget_exhausted` raises its argument.
    - on_dropped: called for each lost report, in any thread.
    - warn: whether warnings go to the log "sextant_client", once per process and reason.
    - queue_max: maximum number of reports that wait to be sent, >= 1.
    - exit_flush_s: maximum time that a program's end waits for reports, in seconds, >= 0.
    - proxies: URLs of proxies by scheme, by default from `urllib.request.getproxies`; `{}` for
        none.

    Raises ValueError if an argument's value is wrong.
    """

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str],
        models: Iterable[str],
        default_model_id: str,
        *,
        aliases: Optional[Mapping[str, str]] = None,
        deadline_ms: float = 400,
        cooldown_s: float = 30,
        shadow: bool = False,
        namespace: Optional[str] = None,
        cost_quality_tradeoff: Optional[float] = None,
        price_of: Optional[PriceOf] = None,
        on_default: Optional[OnDefault] = None,
        on_budget_exhausted: OnBudgetExhausted = _raise,
        on_dropped: Optional[OnDropped] = None,
        warn: bool = True,
        queue_max: int = 1_000,
        exit_flush_s: float = 2.0,
        proxies: Optional[Mapping[str, str]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self.models = () if isinstance(models, str) else tuple(models)
        if not all(map(_is_text, self.models)):
            raise ValueError("models are ids: texts that are not empty")
        if default_model_id not in self.models:
            raise ValueError("default_model_id is not one of models")
        if not deadline_ms > 0 or not cooldown_s > 0 or not queue_max >= 1 or not exit_flush_s >= 0:
            raise ValueError("deadline_ms and cooldown_s are > 0, queue_max >= 1 and exit_flush_s >= 0")
        self._aliases = dict(aliases or {})
        if not all(map(_is_text, self._aliases.values())):
            raise ValueError("aliases name ids: texts that are not empty")
        self.models = self._renamed(self.models)
        self.default_model_id = self._renamed([default_model_id])[0]
        self._transport = Transport(base_url, api_key, proxies, ssl_context)
        self.deadline_ms = deadline_ms
        self._is_shadow = shadow
        self._fields = {"namespace": namespace, "cost_quality_tradeoff": cost_quality_tradeoff}
        self._on_default = on_default
        self._on_budget_exhausted = on_budget_exhausted
        self._on_dropped = on_dropped
        self._is_warning = warn
        self._exit_flush_s = exit_flush_s
        self._asking = Asking(self._transport)
        self._shared = Shared(
            self.models, self.default_model_id, cooldown_s, price_of, self.report, self.score, self._warn
        )
        self._reports = Reports(self._transport, queue_max, self._dropped, self._warn, self._note)
        with _clients_lock:
            _clients.add(self)

    def _renamed(self, model_ids: Iterable[str]) -> Tuple[str, ...]:
        """Replaces the ids of retired models, and returns each id once."""
        return tuple(dict.fromkeys(self._aliases.get(one, one) for one in model_ids))

    def choose(
        self,
        task: Union[str, TaskInput],
        *,
        conversation_id: Optional[str] = None,
        models: Optional[Iterable[str]] = None,
        constraints: Optional[Constraints] = None,
        deadline_ms: Optional[float] = None,
        parameters: Optional[Collection[str]] = None,
        **fields: Any,
    ) -> Choice:
        """Chooses the model for a task.

        - conversation_id: the id of the conversation, whose current model is priced with its prompt
            cache.
        - models: the client's models that may run this task, by default all.
        - parameters: names of the parameters of the model's call. For an hour, a model other than the
            default that refused a parameter is left out of questions with the same parameter names.
        - constraints, fields: further fields of the request in wire format, which replace the
            client's own, except `shadow`. If a `task_id` is given, reports on the choice repeat the
            `task_id`.
        """
        asked, conversation = self._ask(
            time.monotonic(), task, conversation_id, models, constraints, deadline_ms, parameters, **fields
        )
        problem = self._exhausted(asked)
        if problem is None:
            return self._choice(asked, conversation, parameters)
        return self._stand_in(problem, self._on_budget_exhausted(problem))

    def choose_default(self, reason: str, detail: str) -> Choice:
        """Chooses the default model, for the caller's reason, without asking the service."""
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

    def run_verified(
        self,
        task: Union[str, TaskInput],
        work: Callable[[str, List[Attempt]], A],
        verify: Callable[[A], Any],
        *,
        max_attempts: int = 3,
        max_total_cost_usd: Optional[float] = None,
        usage: Optional[UsageReader] = usage_of,
        **options: Any,
    ) -> Verified:
        """Runs `work` until `verify` accepts a result, each time on the model that the plan names next.

        Each verdict is reported, and before a further attempt the service is asked for a new plan. If
        the service gives no answer, the present plan continues. Raises an error of the first call of
        `choose`, and any error of `work` that is no provider's fault. If an outage leaves no
        model to run, `run_verified` raises the outage only if no attempt has given a result.

        - work: called with a model's id and the list of earlier attempts; returns the model's
            result.
        - verify: a gate, or a function that returns true, false, or a quality from 0 to 1. A
            quality of 0.8 or more passes. An error of `verify` is no verdict, and ends the run.
        - max_attempts: maximum number of attempts, >= 1. A call that ends with an outage counts as
            no attempt.
        - max_total_cost_usd: maximum total cost of the attempts in US dollars. No further attempt
            begins if a cost is unknown, or if the attempt's estimate is above what is left.
        - options: the options of `choose`. The option `verification` says how results are checked,
            for example `{"kind": "judge"}`.
        """
        run = VerifiedRun(self._shared, self.models, max_attempts, max_total_cost_usd, usage, options, verify)
        steps = run.steps(lambda asking: self.choose(task, **asking), work, verify, self.flush)
        try:
            step = next(steps)
            while True:
                try:
                    came = step()
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(came)
        except StopIteration as end:
            return end.value

    def score(
        self,
        choice: Union[Choice, Routed, str, None],
        quality: Union[float, bool, None],
        source: str = "gate",
        *,
        model_id: Optional[str] = None,
        notes: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Reports a verdict on a choice, on an answer's routing, or on a recommendation's id.

        Another process than the one that chose the model may report the verdict. Returns whether a
        report was queued, which needs a recommendation, a valid quality and a valid source.

        - quality: from 0 to 1, or whether the result was good; None is no verdict.
        - source: "gate" (a check that the agent neither wrote nor chose), "judge", "human",
            "self_check" (the agent's own check) or "no_result" (a run that ended without a result).
        - model_id: the model that ran; by default the one that this process chose or ran last for
            the recommendation, else the model last reported for the recommendation.
        - idempotency_key: reports of the same content count once, unless their keys differ.
        """
        is_known = isinstance(choice, (Choice, Routed))
        recommendation_id = choice.recommendation_id if is_known else choice
        if recommendation_id is None or quality is None:
            return False
        value = quality_of(quality)
        report: Any = {"recommendation_id": recommendation_id, "evidence_source": source}
        if value is None or source not in _SOURCES or not _is_text(recommendation_id):
            self._reports.drop("invalid", f"quality {_shown(quality)}, source {_shown(source)}", report)
            return False
        ran = choice.ran_model_id if is_known else self._shared.ran.get(recommendation_id)
        optional = {"chosen_model_id": model_id or ran, "notes": notes, "idempotency_key": idempotency_key}
        return self.report({**report, "outcome": outcome_of(value), "quality_score": value, **optional})

    def report(self, report: Mapping[str, Any]) -> bool:
        """Puts a `wire.FeedbackRequest` into the queue, and returns whether it was queued."""
        try:
            named = {"task_id": self._shared.tasks.get(report.get("recommendation_id")), **report}
            given: Any = {name: value for name, value in named.items() if value is not None}
            # All attempts to send a report have the same idempotency key. By default, the service
            # would give a usage report and a verdict the same idempotency key.
            text = json.dumps(given, sort_keys=True)
        except Exception as error:
            self._reports.drop("invalid", text_of(error), report)  # type: ignore[arg-type]
            return False
        given.setdefault("idempotency_key", f"python:{hashlib.sha256(text.encode()).hexdigest()[:32]}")
        return self._reports.add(given)

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Waits at most `timeout_s` until all reports are sent or lost; returns whether they are."""
        return self._reports.flush(timeout_s)

    @property
    def pending(self) -> int:
        """Number of reports that wait or are being sent."""
        return self._reports.pending

    @property
    def dropped(self) -> int:
        """Number of lost reports."""
        return self._reports.dropped

    def close(self, timeout_s: float = 5.0) -> bool:
        """Ends thread and connections after a `flush`, whose result it returns. A closed client can be
        used again.
        """
        is_done = self.flush(timeout_s)
        self._reports.close()
        self._transport.close()
        return is_done

    def _ask(
        self,
        began: float,
        task: Union[str, TaskInput],
        conversation_id: Any = None,
        models: Optional[Iterable[str]] = None,
        constraints: Optional[Constraints] = None,
        deadline_ms: Optional[float] = None,
        parameters: Optional[Collection[str]] = None,
        **fields: Any,
    ) -> Tuple[Asked, Optional[str]]:
        """Asks the service; returns its answer or the failure, and the conversation's id. Never
        raises an Exception.

        - began: when the deadline began, in seconds of `time.monotonic`.
        """
        try:
            deadline = began + self._allowed_s(deadline_ms)
            conversation = None if conversation_id is None else str(conversation_id)
            body = self._request(
                task, conversation, self.models if models is None else models, constraints, fields, parameters
            )
        except Exception as error:
            return self._asking.unasked("invalid_request", text_of(error)), None
        asked = self._asking.ask(body, deadline)
        if asked.answer is not None:
            self._reports.key_accepted()
            self._note(asked.answer)
            if "task_id" in fields:
                self._shared.tasks.set(asked.answer["recommendation_id"], fields["task_id"])
        return asked, conversation

    def _allowed_s(self, deadline_ms: Optional[float]) -> float:
        """Returns the time limit of a question, in seconds. Raises ValueError for NaN."""
        given = self.deadline_ms if deadline_ms is None else float(deadline_ms)
        if math.isnan(given):
            raise ValueError("deadline_ms is no number")
        return bounded_s(given / 1_000)

    def _exhausted(self, asked: Asked) -> Optional[BudgetExhausted]:
        """Returns the error for a used-up budget; None if the budget is not used up, or in shadow mode."""
        if asked.reason != BUDGET_EXHAUSTED or self._is_shadow:
            return None
        return BudgetExhausted(asked.detail, asked.retry_after_s)

    def _stand_in(self, problem: BudgetExhausted, model_id: Optional[str]) -> Choice:
        """Makes the choice of the model that the caller names when the budget is used up. Raises
        the BudgetExhausted if the client does not have the named model.
        """
        if model_id is None:
            return self.choose_default(BUDGET_EXHAUSTED, problem.detail)
        model_id = self._aliases.get(model_id, model_id) if _is_text(model_id) else None
        if model_id not in self.models:
            raise problem
        return Choice(self._shared, Chosen(model_id, "default", BUDGET_EXHAUSTED, problem.detail, None), None)

    def _choice(
        self, asked: Asked, conversation_id: Optional[str], parameters: Optional[Collection[str]]
    ) -> Choice:
        answer, reason, detail = asked[:3]
        names = _names_of(parameters)
        if answer is None:
            return Choice(self._shared, self._default(reason or "", detail), conversation_id, names)
        picked = spelled(answer["recommended_model"])
        detail = plain(f"the service named {picked}")
        if picked not in self.models:
            chosen = self._default("unknown_model", detail, answer)
        elif self._is_shadow:
            chosen = Chosen(self.default_model_id, "default", "shadow", detail, answer)
        else:
            chosen = Chosen(picked, "service", None, "", answer)
        return Choice(self._shared, chosen, conversation_id, names)

    def _request(
        self,
        task: Union[str, TaskInput],
        conversation_id: Optional[str],
        models: Iterable[str],
        constraints: Optional[Constraints],
        fields: Dict[str, Any],
        parameters: Optional[Collection[str]],
    ) -> Dict[str, Any]:
        given: Dict[str, Any] = {"task": task} if isinstance(task, str) else dict(task)
        given["task"] = _excerpt(given["task"])
        candidates = list(self._renamed(models))
        left_out = LeftOut(self._shared, _names_of(parameters))
        excluded = [model_id for model_id in candidates if left_out.is_excluded(model_id)]
        limits: Dict[str, Any] = {"candidate_models": candidates}
        if excluded and len(excluded) < len(candidates):
            limits["excluded_models"] = excluded
        body: Dict[str, Any] = {
            "explain": False,
            "detail": "short",
            "max_candidates": min(max(len(candidates), 8), 64),
            "baseline_model_id": self.default_model_id,
            **self._fields,
            **fields,
            "incumbent_model_id": self._incumbent(conversation_id, fields),
            # A caller cannot set `shadow` for one question, because the client would still run the
            # recommended model.
            "shadow": True if self._is_shadow else None,
            "task": given,
            "constraints": {**limits, **(constraints or {})},
        }
        return {name: value for name, value in body.items() if value is not None}

    def _incumbent(self, conversation_id: Optional[str], fields: Mapping[str, Any]) -> Optional[str]:
        """Returns the id of the conversation's current model; None if the model is unknown, or if the
        service would refuse the model's id as invalid.
        """
        remembered = self._shared.conversations.get(conversation_id)
        incumbent: Optional[str] = fields.get("incumbent_model_id", remembered)
        if incumbent is None or _is_id(incumbent):
            return incumbent
        self._warn("incumbent", "an incumbent that is no id is not sent")
        return None

    def _default(self, reason: str, detail: str, answer: Optional[RecommendResponse] = None) -> Chosen:
        try:
            if self._on_default is not None:
                self._on_default(reason, detail)
            else:
                self._warn(reason, "%s runs by default (%s): %s", self.default_model_id, reason, detail)
        except Exception:  # the callback is the caller's, and so is its failure
            logger.exception("on_default failed")
        return Chosen(self.default_model_id, "default", reason, detail, answer)

    def _dropped(self, dropped: DroppedReport) -> None:
        try:
            if self._on_dropped is not None:
                self._on_dropped(dropped)
            else:
                self._warn(f"dropped:{dropped.reason}", "a report was lost (%s): %s", *dropped[:2])
        except Exception:  # as above; the thread that sends reports must live on
            logger.exception("on_dropped failed")

    def _note(self, answer: Mapping[str, Any]) -> None:
        warnings = answer.get("warnings")
        for each in warnings[:_WARNINGS_READ] if is_list(warnings) else []:
            if isinstance(each, str) and (each.startswith("unknown_field:") or each == "guarantee_needs_trials"):
                self._warn(each[:300], "the service warns: %s", plain(each))

    def _warn(self, reason: str, message: str, *values: object) -> None:
        if self._is_warning:
            warn(reason, message, *values)

    def _after_fork(self) -> None:
        self._transport.reset()
        self._reports.reset()
        self._asking.reset()
        self._shared.reset()


_clients: "weakref.WeakSet[Sextant]" = weakref.WeakSet()
_clients_lock = threading.RLock()


def _reset_all() -> None:
    global _clients_lock
    _clients_lock = threading.RLock()
    reset_key_tries()
    for client in list(_clients):
        client._after_fork()


def _flush_all() -> None:
    """Waits for the reports of all clients, at most for the longest `exit_flush_s` of a client."""
    began = time.monotonic()
    with _clients_lock:
        clients = list(_clients)
    try:
        for client in clients:
            client.flush(max(0.0, began + client._exit_flush_s - time.monotonic()))
    except KeyboardInterrupt:
        # An interrupt ends the wait for reports at the end of the program.
        return


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
atexit.register(_flush_all)
