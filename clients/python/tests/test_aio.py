"""The client in asyncio."""

import asyncio
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from sextant_client import AsyncSextant

from .fakes import KEY, FakeService, RawServer, answering, client_of


class Out(Exception):
    status_code = 503


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.service = FakeService(answering())
        self.addCleanup(self.service.close)
        self.sextant = AsyncSextant(client=client_of(self.service.url))
        self.addCleanup(self.sextant.client.close, 0)

    async def outcomes(self):
        self.assertTrue(await self.sextant.flush(10))
        return [(body["chosen_model_id"], body["outcome"]) for body in self.service.bodies("/v1/feedback")]

    def test_it_takes_the_arguments_of_a_client(self):
        with self.assertRaises(ValueError):
            AsyncSextant("http://localhost", KEY, ["a"], "b")
        self.assertEqual(AsyncSextant("http://localhost", KEY, ["a"], "a").pending, 0)

    async def test_a_coroutine_runs_with_the_pick_and_after_an_outage_with_the_next_model(self):
        ran = []

        async def work(model_id):
            ran.append(model_id)
            await asyncio.sleep(0)
            if model_id == "claude-sonnet-4-5":
                raise Out()
            return {"usage": {"prompt_tokens": 1}}
        await self.sextant.run("x", work)
        self.assertEqual(ran, ["claude-sonnet-4-5", "gemini-2.5-pro"])
        self.assertEqual(await self.outcomes(), [("claude-sonnet-4-5", "failure"), ("gemini-2.5-pro", "success")])

    async def test_another_error_is_the_callers(self):
        async def work(model_id):
            raise ValueError("no")
        with self.assertRaises(ValueError):
            await self.sextant.run("x", work)
        self.assertEqual(await self.outcomes(), [])

    async def test_many_tasks_ask_at_once(self):
        choices = await asyncio.gather(*(self.sextant.choose(str(i)) for i in range(50)))
        self.assertEqual({choice.source for choice in choices}, {"service"})
        choices[0].score(1.0)
        self.sextant.score(choices[1], 0.5)
        self.assertEqual(len(await self.outcomes()), 2)
        self.assertEqual(self.sextant.dropped, 0)

    async def test_the_loop_goes_on_while_the_service_says_nothing(self):
        silent = RawServer(lambda connection: connection.recv(100_000) and connection.recv(1))
        self.addCleanup(silent.close)
        sextant = AsyncSextant(client=client_of(silent.url, deadline_ms=300))
        asked = asyncio.create_task(sextant.choose("x"))
        turns = 0
        while not asked.done():
            await asyncio.sleep(0.01)
            turns += 1
        self.assertEqual(asked.result().reason, "timeout")
        self.assertGreater(turns, 3)

    async def test_a_deadline_may_be_infinite_and_one_that_is_over_is_said(self):
        for deadline_ms, reason in ((float("inf"), None), (1e300, None), (-1, "timeout"), (float("-inf"), "timeout"),
                                    (float("nan"), "invalid_request"), ("soon", "invalid_request")):
            self.assertEqual((await self.sextant.choose("x", deadline_ms=deadline_ms)).reason, reason, deadline_ms)

    async def test_the_deadline_covers_the_wait_for_a_free_thread(self):
        loop, release = asyncio.get_running_loop(), threading.Event()
        pool = ThreadPoolExecutor(1)
        loop.set_default_executor(pool)
        blocked = loop.run_in_executor(None, release.wait, 20)
        choice = await self.sextant.choose("x", deadline_ms=50)
        self.assertEqual((choice.model_id, choice.reason), ("gpt-4o", "timeout"))
        self.assertEqual(self.sextant.client.defaults, [("timeout", "no thread was free in time")])
        release.set()
        await blocked
        self.assertEqual((await self.sextant.choose("x")).source, "service")
        self.assertEqual(len(self.service.requests), 1)

    async def test_an_option_that_cannot_be_sent_gives_the_default(self):
        for options in ({"deadline_ms": "soon"}, {"deadline_ms": float("nan")}, {"models": 7}):
            choice = await self.sextant.choose("x", **options)
            self.assertEqual((choice.model_id, choice.source), ("gpt-4o", "default"), options)

    async def test_a_task_that_is_cancelled_abandons_the_call_and_stays_cancelled(self):
        started = asyncio.Event()

        async def work(model_id):
            started.set()
            await asyncio.sleep(60)
        task = asyncio.create_task(self.sextant.run("x", work))
        await started.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(await self.outcomes(), [("claude-sonnet-4-5", "partial")])

    async def test_a_stream_of_an_asynchronous_generator_or_a_coroutine_of_one_is_measured(self):
        async def parts(model_id):
            yield "a"
            yield {"usage": {"prompt_tokens": 3, "completion_tokens": 2}}

        async def opened(model_id):
            return parts(model_id)
        for work in (parts, opened):
            choice = await self.sextant.choose("x")
            self.assertEqual(len([part async for part in choice.stream(work)]), 2)
        await self.outcomes()
        for report in self.service.bodies("/v1/feedback"):
            self.assertEqual((report["input_tokens"], report["output_tokens"]), (3, 2))
            self.assertIn("time_to_first_token_ms", report)

    async def test_a_reader_that_leaves_closes_the_providers_stream_and_abandons_the_call(self):
        closed = []

        async def parts(model_id):
            try:
                yield "a"
                yield "b"
            finally:
                closed.append(model_id)
        stream = (await self.sextant.choose("x")).stream(parts)
        self.assertEqual(await stream.__anext__(), "a")
        await stream.aclose()
        self.assertEqual(closed, ["claude-sonnet-4-5"])
        self.assertEqual(await self.outcomes(), [("claude-sonnet-4-5", "partial")])

    async def test_an_outage_before_the_first_part_runs_the_next_model_and_after_it_propagates(self):
        async def early(model_id):
            if model_id == "claude-sonnet-4-5":
                raise Out()
            yield model_id

        async def late(model_id):
            yield model_id
            raise Out()
        choice = await self.sextant.choose("x")
        self.assertEqual([part async for part in choice.stream(early)], ["gemini-2.5-pro"])
        choice = await self.sextant.choose("x")
        with self.assertRaises(Out):
            [part async for part in choice.stream(late)]
