"""The client for asyncio, which asks the service in a thread and does not block the event loop."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any, AsyncIterable, AsyncIterator, Awaitable, Callable, Dict, List, Optional, Tuple, TypeVar, Union

from ._asking import Asked
from ._choice import Call, Choice, Routed, UsageReader, close_quietly, read_usage
from ._log import logger
from ._transport import text_of
from ._usage import Usage, usage_of
from ._verify import Attempt, Verified, VerifiedRun
from .client import Sextant
from .gates import Gate
from .wire import RecommendResponse, TaskInput

A = TypeVar("A")


class AsyncChoice:
    """A `Choice` for work that is a coroutine function."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.model_id: str = choice.model_id
        self.source: str = choice.source
        self.reason: Optional[str] = choice.reason
        self.detail: str = choice.detail
        self.recommendation_id: Optional[str] = choice.recommendation_id
        self.recommendation: Optional[RecommendResponse] = choice.recommendation

    @property
    def ran_model_id(self) -> str:
        """The model of the newest call; before the first call, the chosen model."""
        return self.choice.ran_model_id

    def begin(self, model_id: Optional[str] = None) -> Call:
        """Starts a call as `Choice.begin` does."""
        return self.choice.begin(model_id)

    def score(
        self, quality: Union[float, bool, None], source: str = "gate", *, notes: Optional[str] = None
    ) -> bool:
        """Reports a verdict as `Choice.score` does, without blocking the loop."""
        return self.choice.score(quality, source, notes=notes)

    async def run(self, work: Callable[[str], Awaitable[A]], *, usage: Optional[UsageReader] = usage_of) -> A:
        """Runs `work` as `Choice.run` does. A cancelled call is reported as abandoned."""
        model_id = self.model_id
        while True:
            call = self.begin(model_id)
            try:
                answer = await work(model_id)
            except Exception as error:
                following = self.choice.after(call, error)
                if following is None:
                    raise
                model_id = following
            except BaseException:  # cancelled, or the program ends
                call.abandoned()
                raise
            else:
                call.succeeded(read_usage(usage, answer))
                return answer

    async def stream(
        self,
        work: Callable[[str], Union[AsyncIterable[A], Awaitable[AsyncIterable[A]]]],
        *,
        usage: Optional[UsageReader] = usage_of,
    ) -> AsyncIterator[A]:
        """Streams like `Choice.stream`. `work` returns an async iterable or a coroutine of it."""
        model_id = self.model_id
        while True:
            call, took, is_begun = self.begin(model_id), Usage(), False
            parts: Any = None
            try:
                parts = work(model_id)
                if not hasattr(parts, "__aiter__"):
                    parts = await parts
                async for part in parts:
                    is_begun = True
                    call.first_token()
                    took = took.updated(read_usage(usage, part))
                    yield part
            except Exception as error:
                following = self.choice.after(call, error, took, is_begun)
                if following is None:
                    raise
                model_id = following
            except BaseException:  # the reader left, or the task was cancelled
                call.abandoned(took)
                raise
            else:
                call.succeeded(took)
                return
            finally:
                closing = close_quietly(parts)
                if hasattr(closing, "__await__"):
                    try:
                        await closing
                    except Exception:  # as in `close_quietly`
                        logger.debug("a stream could not be closed", exc_info=True)


class AsyncSextant:
    """A `Sextant` for asyncio, made from the arguments of `Sextant` or from a given `Sextant`."""

    def __init__(self, *args: Any, client: Optional[Sextant] = None, **options: Any) -> None:
        self.client = Sextant(*args, **options) if client is None else client

    async def choose(
        self, task: Union[str, TaskInput], *, deadline_ms: Optional[float] = None, **options: Any
    ) -> AsyncChoice:
        """Chooses as `Sextant.choose` does. The deadline includes the wait for a free thread. The
        `on_budget_exhausted` of an AsyncSextant may be a coroutine function.
        """
        asked, conversation = await self._ask(task, deadline_ms, options)
        problem = self.client._exhausted(asked)
        if problem is None:
            return AsyncChoice(self.client._choice(asked, conversation, options.get("parameters")))
        stand_in: Any = self.client._on_budget_exhausted(problem)
        if hasattr(stand_in, "__await__"):
            stand_in = await stand_in
        return AsyncChoice(self.client._stand_in(problem, stand_in))

    async def _ask(
        self, task: Union[str, TaskInput], deadline_ms: Optional[float], options: Dict[str, Any]
    ) -> Tuple[Asked, Optional[str]]:
        began, client = time.monotonic(), self.client
        reason = "invalid_request"
        try:
            allowed_s = client._allowed_s(deadline_ms)
            reason = "unreachable"
            asking = asyncio.ensure_future(
                asyncio.to_thread(client._ask, began, task, deadline_ms=deadline_ms, **options)
            )
            # The asking thread keeps the deadline itself; the event loop waits 50 ms longer for the thread.
            done, _ = await asyncio.wait({asking}, timeout=max(0.0, allowed_s) + 0.05)
            if done:
                return asking.result()
        except Exception as error:  # no time of any use, or the loop takes no more work
            return client._asking.unasked(reason, text_of(error)), None
        asking.cancel()
        return client._asking.unasked("timeout", "no thread was free in time"), None

    async def run(
        self,
        task: Union[str, TaskInput],
        work: Callable[[str], Awaitable[A]],
        *,
        usage: Optional[UsageReader] = usage_of,
        **options: Any,
    ) -> A:
        """Chooses a model and awaits `work` with its id."""
        return await (await self.choose(task, **options)).run(work, usage=usage)

    async def run_verified(
        self,
        task: Union[str, TaskInput],
        work: Callable[[str, List[Attempt]], Awaitable[A]],
        verify: Callable[[A], Any],
        *,
        max_attempts: int = 3,
        max_total_cost_usd: Optional[float] = None,
        usage: Optional[UsageReader] = usage_of,
        **options: Any,
    ) -> Verified:
        """Runs a task as `Sextant.run_verified` does. `work` is a coroutine function, and `verify`
        may be a coroutine function.
        """
        client = self.client
        run = VerifiedRun(client._shared, client.models, max_attempts, max_total_cost_usd, usage, options, verify)
        # A gate runs in a thread, because a gate's command would block the event loop.
        check = partial(asyncio.to_thread, verify) if isinstance(verify, Gate) else verify
        steps = run.steps(lambda asking: self.choose(task, **asking), work, check, self.flush)
        try:
            step = next(steps)
            while True:
                try:
                    came = step()
                    came = await came if hasattr(came, "__await__") else came
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(came)
        except StopIteration as end:
            return end.value

    def score(self, choice: Union[AsyncChoice, Choice, Routed, str, None], *args: Any, **options: Any) -> bool:
        """Reports a verdict as `Sextant.score` does, without blocking the loop."""
        inner = choice.choice if isinstance(choice, AsyncChoice) else choice
        return self.client.score(inner, *args, **options)

    async def flush(self, timeout_s: float = 5.0) -> bool:
        return await asyncio.to_thread(self.client.flush, timeout_s)

    async def close(self, timeout_s: float = 5.0) -> bool:
        return await asyncio.to_thread(self.client.close, timeout_s)

    @property
    def pending(self) -> int:
        return self.client.pending

    @property
    def dropped(self) -> int:
        return self.client.dropped
