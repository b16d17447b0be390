"""Runs a task until a result passes a check, with the attempts of the service's plan."""

from __future__ import annotations

import uuid
from typing import Any, Callable, Dict, Generator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ._budget import BudgetExhausted
from ._choice import Call, Choice, UsageReader, read_usage, spelled
from ._outage import PARAMETERS, fault_of
from ._shape import is_dict, is_list
from ._shared import Shared
from ._transport import BUDGET_EXHAUSTED
from ._usage import Usage, is_amount
from ._verdict import outcome_of, quality_of

# Maximum wait until a verdict is sent, before the next plan is asked for, in seconds.
_REPORT_S = 1.0
# Maximum number of earlier attempts that a request names, and of attempts in a plan.
_NAMED_MAX = 16
_PLANNED_MAX = 4
# Reasons to end a plan that also forbid the client to try further models.
_PLAN_ENDS = ("not_worth_it", "max_total_cost")

Step = Callable[[], Any]


class Attempt(NamedTuple):
    """One run of a model that gave a result, whether or not the result passed the check."""

    model_id: str
    result: Any
    # Quality that the check gave the result, from 0 to 1; None if the check gave no verdict.
    quality: Optional[float]
    # Cost of the attempt and its check in US dollars, from the usage or `price_of`, else from the
    # service's estimate; None if it is unknown.
    cost_usd: Optional[float]
    # False if the cost is from the usage or `price_of`, otherwise True.
    is_estimate: bool
    # The recommendation's id; None if the service gave no answer.
    recommendation_id: Optional[str]


class Verified(NamedTuple):
    """What `run_verified` returns."""

    is_verified: bool
    # The attempt that passed, else the attempt of the highest quality; None if there is no attempt.
    # An attempt without a verdict ranks like one of the quality 0.5.
    best: Optional[Attempt]
    # All attempts that gave a result, the oldest first.
    attempts: Tuple[Attempt, ...]
    # Total cost of the attempts in US dollars; None if the cost of an attempt is unknown.
    cost_usd: Optional[float]
    # Why no further attempt was made: "verified", "no_verdict", "max_attempts", "max_total_cost",
    # "not_worth_it", "no_model", "outage", "budget_exhausted" or "shadow".
    stop: str
    # The error of the check, a provider or the budget that ended the run; None if no error did.
    error: Optional[BaseException]


class _Route:
    """The order in which one choice runs models: the plan's, then the client's own."""

    def __init__(self, choice: Choice, models: Sequence[str], tried: Set[str]) -> None:
        self.choice = choice
        self._tried = tried
        plan: Any = None
        if choice.recommendation is not None and choice.reason != "shadow":
            plan = choice.recommendation.get("plan")
        order = _planned(plan)
        self._is_empty = order == []
        # If the chosen model is first in the plan, the plan's first attempt is already taken.
        rest = order[1:] if order and order[0] == choice.model_id else order or []
        self._rest = [model_id for model_id in rest if model_id is not None and model_id in models]
        ends = plan.get("stop_reason") if is_dict(plan) else None
        self._stop: Optional[str] = next((end for end in _PLAN_ENDS if end == ends), None)

    @property
    def end(self) -> str:
        """Why no model is left to run: "budget_exhausted", "not_worth_it", "max_total_cost" or "no_model"."""
        return BUDGET_EXHAUSTED if self.choice.reason == BUDGET_EXHAUSTED else self._stop or "no_model"

    def first(self) -> Optional[str]:
        """Returns the model that a new choice runs first; None if no model is left or worth trying."""
        if self._is_empty:
            return None
        choice = self.choice
        is_over = choice.source == "default" and choice.model_id in self._tried
        return self.after_failure() if is_over else choice.model_id

    def after_failure(self) -> Optional[str]:
        """Returns the model to run after a failed check; None if none is left or worth trying."""
        if self._rest:
            return self._rest.pop(0)
        return None if self._stop is not None else self._chained()

    def after_fault(self, call: Call) -> Optional[str]:
        """Returns the model to run after a provider's fault; None if no model is left."""
        if call.fault == PARAMETERS:
            return self._chained()
        self._rest = [model_id for model_id in self._rest if model_id != call.model_id]
        for model_id in self._rest:
            if model_id not in self._tried:
                self._rest.remove(model_id)
                return model_id
        return self._chained()

    def estimate_of(self, model_id: str) -> Optional[float]:
        """Returns the service's estimate of a call's cost in US dollars, if it gave one."""
        answer = self.choice.recommendation
        for model in [] if answer is None else [answer["recommended_model"], *answer["ranked"]]:
            if spelled(model) == model_id:
                cost: Any = model.get("est_cost_usd")
                return cost if is_amount(cost) else None
        return None

    def _chained(self) -> Optional[str]:
        following = iter(self.choice.next, None)
        return next((model_id for model_id in following if model_id not in self._tried), None)


class VerifiedRun:
    """The state of a run: its attempts, their limits, and the question for the next one."""

    def __init__(
        self,
        shared: Shared,
        models: Sequence[str],
        max_attempts: int,
        max_total_cost_usd: Optional[float],
        usage: Optional[UsageReader],
        options: Dict[str, Any],
        verify: Any,
    ) -> None:
        self._shared, self._models, self._usage = shared, models, usage
        # Earlier attempts that the caller passes may belong to a task, so no new task id is made.
        own = {} if options.get("attempts") else {"task_id": str(uuid.uuid4())}
        self._options = {**own, **options}
        self._max_attempts = int(max_attempts) if is_amount(max_attempts) and max_attempts >= 1 else 3
        self._max_usd = max_total_cost_usd
        # If the caller describes no check, a gate's own description is sent.
        verification: Any = options.get("verification") or getattr(verify, "verification", None)
        self._verification = verification if is_dict(verification) else {"kind": "gate"}
        self._source = str(self._verification.get("kind"))
        check: Any = self._verification.get("cost_usd")
        self._check_usd: float = check if is_amount(check) else 0.0
        self._attempts: List[Attempt] = []
        self._tried: Set[str] = set()

    def steps(
        self,
        choose: Callable[[Dict[str, Any]], Any],
        work: Callable[[str, List[Attempt]], Any],
        verify: Callable[[Any], Any],
        flush: Callable[[float], Any],
    ) -> Generator[Step, Any, Verified]:
        """Yields the run's steps as functions without arguments. The caller calls each yielded
        function, awaits an asynchronous result, and sends the result to the generator.
        """
        route = _Route(_inner((yield lambda: choose(self._question()))), self._models, self._tried)
        model_id = route.first()
        while model_id is not None:
            outage = yield from self._attempt(route, model_id, work)
            if outage is not None:
                if not self._attempts:
                    raise outage
                return self._ended("outage", outage)
            stop, error = yield from self._judge(route, verify)
            if stop is not None:
                return self._ended(stop, error)
            yield lambda: flush(_REPORT_S)
            try:
                choice = _inner((yield lambda: choose(self._question())))
            except BudgetExhausted as problem:
                return self._ended(BUDGET_EXHAUSTED, problem)
            # If the budget is used up, only the model that `on_budget_exhausted` named may run.
            if choice.recommendation is not None or choice.reason == BUDGET_EXHAUSTED:
                route = _Route(choice, self._models, self._tried)
                model_id = route.first()
            else:
                model_id = route.after_failure()
            if model_id is not None and not self._may_run(route, model_id):
                return self._ended("max_total_cost")
        return self._ended(route.end)

    def _attempt(
        self, route: _Route, first: str, work: Callable[[str, List[Attempt]], Any]
    ) -> Generator[Step, Any, Optional[Exception]]:
        """Runs a model until one gives a result; after a provider's fault the next model runs.
        Returns the last fault if no model gave a result, otherwise None.
        """
        model_id = first
        while True:
            call, ran = route.choice.begin(model_id), model_id
            self._tried.add(ran)
            try:
                result = yield lambda: work(ran, list(self._attempts))
            except Exception as error:
                if fault_of(error) is None or not call.failed(error):
                    raise
                following = route.after_fault(call)
                if following is None or not self._may_run(route, following):
                    return error
                model_id = following
            except BaseException:  # the program ends, or the task was cancelled
                call.abandoned()
                raise
            else:
                said: Any = read_usage(self._usage, result)
                took = said if isinstance(said, Usage) else Usage()
                call.succeeded(took)
                cost, is_estimate = self._cost(route, ran, took)
                self._attempts.append(
                    Attempt(ran, result, None, cost, is_estimate, route.choice.recommendation_id)
                )
                return None

    def _judge(
        self, route: _Route, verify: Callable[[Any], Any]
    ) -> Generator[Step, Any, Tuple[Optional[str], Optional[BaseException]]]:
        """Reports the check's verdict on the last attempt. Returns why the run ends, None if it goes
        on, and the check's error, None if there is none.
        """
        last = self._attempts[-1]
        try:
            quality = quality_of((yield lambda: verify(last.result)))
        except Exception as error:  # the check is the caller's, and gave no verdict
            return "no_verdict", error
        if quality is None:
            return "no_verdict", None
        self._attempts[-1] = last._replace(quality=quality)
        route.choice.score(quality, self._source)
        if outcome_of(quality) == "success":
            return "verified", None
        if len(self._attempts) >= self._max_attempts:
            return "max_attempts", None
        if route.choice.reason == "shadow":
            return "shadow", None
        left = self._left_usd()
        return None if left is None or left > 0 else "max_total_cost", None

    def _question(self) -> Dict[str, Any]:
        """Returns the options of `choose`, with the attempts so far and the limits left."""
        told = [
            {
                "recommendation_id": each.recommendation_id,
                "model_id": each.model_id,
                "outcome": None if each.quality is None else outcome_of(each.quality),
                "evidence_source": self._source,
            }
            for each in self._attempts
        ]
        return {
            **self._options,
            "verification": self._verification,
            "attempts": [*(self._options.get("attempts") or ()), *told][-_NAMED_MAX:],
            "max_attempts": min(self._max_attempts - len(self._attempts), _PLANNED_MAX),
            "max_total_cost_usd": self._left_usd(),
        }

    def _cost(self, route: _Route, model_id: str, took: Usage) -> Tuple[Optional[float], bool]:
        bill = self._shared.price_of(model_id, took) if took.cost_usd is None else took.cost_usd
        if is_amount(bill):
            return _sum([bill, self._check_usd]), False
        return self._estimate(route, model_id), True

    def _estimate(self, route: _Route, model_id: str) -> Optional[float]:
        return _sum([route.estimate_of(model_id), self._check_usd])

    def _spent_usd(self) -> Optional[float]:
        return _sum([each.cost_usd for each in self._attempts])

    def _left_usd(self) -> Optional[float]:
        """Returns how much of `max_total_cost_usd` is left, 0 if the cost of an attempt is unknown;
        None without that limit.
        """
        if self._max_usd is None:
            return None
        spent = self._spent_usd()
        return _sum([self._max_usd, -spent]) if spent is not None and is_amount(self._max_usd) else 0.0

    def _may_run(self, route: _Route, model_id: str) -> bool:
        left, estimate = self._left_usd(), self._estimate(route, model_id)
        return left is None or (estimate is not None and estimate <= left)

    def _ended(self, stop: str, error: Optional[BaseException] = None) -> Verified:
        attempts = tuple(self._attempts)
        is_verified = stop == "verified"
        # Among attempts of equal quality the newest is the best.
        worth = [0.5 if each.quality is None else each.quality for each in attempts]
        best = max(range(len(worth)), key=lambda i: (worth[i], i), default=None)
        won = attempts[-1] if is_verified else None if best is None else attempts[best]
        return Verified(is_verified, won, attempts, self._spent_usd(), stop, error)


def _planned(plan: Any) -> Optional[List[Optional[str]]]:
    """The models of a plan in the request's spelling; None for an unreadable plan or model."""
    attempts = plan.get("attempts") if is_dict(plan) else None
    if not is_list(attempts):
        return None
    return [spelled(each) if _is_model(each) else None for each in attempts]


def _is_model(value: Any) -> bool:
    return is_dict(value) and "model_id" in value


def _inner(choice: Any) -> Choice:
    """Returns the choice that an AsyncChoice holds, or else the given choice."""
    return getattr(choice, "choice", choice)


def _sum(costs: List[Optional[float]]) -> Optional[float]:
    """Returns the sum of costs, rounded so that 3 times 0.1 is 0.3; None if a cost is unknown."""
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 9) if len(known) == len(costs) else None
