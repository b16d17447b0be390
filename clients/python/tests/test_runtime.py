"""The client under what a run of Python does to it: signals, finalizers, forks, a lack of threads, and ends of programs."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from sextant_client import AsyncSextant, _reports

from .fakes import KEY, RECOMMENDATION_ID, FakeService, RawServer, answering, client_of

PACKAGE = str(Path(__file__).resolve().parents[1])
BEGINNING = """
import gc, os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
from sextant_client import Sextant
def client(**options):
    return Sextant(sys.argv[2], sys.argv[3], ["gpt-4o", "claude-sonnet-4-5"], "gpt-4o",
                   **{"deadline_ms": 20_000, "proxies": {}, **options})
"""


class WithService(unittest.TestCase):
    def setUp(self):
        self.service = FakeService(answering())
        self.addCleanup(self.service.close)

    def client(self, **options):
        client = client_of(self.service.url, **options)
        self.addCleanup(client.close, 0)
        return client

    def silent(self):
        server = RawServer(lambda connection: time.sleep(60))
        self.addCleanup(server.close)
        return server


class Programs(WithService):
    """Programs of their own, which end by themselves or by a signal."""

    def start(self, program, url=None):
        args = [sys.executable, "-c", BEGINNING + program, PACKAGE, url or self.service.url, KEY]
        process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def ended(self, process, expected="", code=0):
        out, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors, out), (code, "", expected))

    @unittest.skipUnless(hasattr(signal, "SIGUSR1"), "needs signals")
    def test_a_signals_handler_may_ask_and_report_whatever_the_client_was_doing(self):
        self.ended(self.start("""
c = client()
def handler(*_):
    choice = c.choose("x")
    print(choice.reason, choice.score(1.0), c.score("id", 1.0))
signal.signal(signal.SIGUSR1, handler)
for lock in (c._shared.ran._lock, c._shared._cooling._lock, c._asking._pause._lock, c._transport._lock,
             c._reports._changed):
    with lock:
        signal.raise_signal(signal.SIGUSR1)
print(c.flush(20), c.dropped)
"""), "None True True\n" * 5 + "True 0\n")

    def test_a_finalizer_may_report_wherever_it_runs(self):
        self.ended(self.start("""
c = client()
class Finalized:
    def __init__(self): self.me = self
    def __del__(self): c.score("id", 1.0, model_id="gpt-4o")
gc.set_threshold(1)
for _ in range(50):
    Finalized()
    c.choose("x")
print(c.flush(20), c.dropped)
"""), "True 0\n")

    @unittest.skipUnless(hasattr(signal, "SIGINT") and sys.platform != "win32", "needs signals")
    def test_an_interrupt_at_the_end_ends_the_wait_for_reports_without_a_word(self):
        process = self.start("""
c = client(exit_flush_s=60)
c.score("id", 1.0)
print("ends", flush=True)
""", self.silent().url)
        self.assertEqual(process.stdout.readline(), "ends\n")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        self.ended(process)
        self.assertLess(time.monotonic() - began, 30)

    def test_the_end_of_a_program_does_not_wait_for_a_key_nor_for_infinity(self):
        self.service.close()
        service = FakeService(answering(None, (401, {})))
        self.addCleanup(service.close)
        self.ended(self.start("""
c = client(exit_flush_s=float("inf"), warn=False)
c.score("id", 1.0)
""", service.url))
        self.assertEqual(len(service.requests), 1)

    def test_threads_that_ask_while_the_program_ends_say_nothing(self):
        self.ended(self.start("""
c = client(warn=False)
def work():
    while True:
        c.choose("x").score(1.0)
        time.sleep(0.005)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
while c._asking._transport._idle == []:
    time.sleep(0.01)
"""))

    def test_what_runs_at_the_end_may_ask_and_report(self):
        self.ended(self.start("""
import atexit
c = client()
atexit.register(lambda: print(c.choose("x").source in ("service", "default"), c.choose("x").score(1.0) in (True, False)))
"""), "True True\n")

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_fork_beside_threads_that_ask_leaves_a_child_that_asks_and_reports(self):
        self.ended(self.start("""
c, ended = client(), []
def work():
    while not ended:
        c.choose("x").score(1.0)
        time.sleep(0.005)
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
codes = []
for _ in range(10):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(0 if c.choose("x").reason is None and c.score("id", 1.0) and c.flush(20) else 3)
    codes.append(os.waitpid(child, 0)[1])
ended.append(True)
for thread in threads: thread.join()
print(set(codes), c.flush(20))
"""), "{0} True\n")

    def test_asking_and_reporting_import_nothing_since_a_fork_beside_an_import_leaves_it_locked(self):
        service = FakeService(lambda path, body: (429, {}, {"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT"}))
        self.addCleanup(service.close)
        for url in (self.service.url, service.url):
            self.ended(self.start("""
before = set(sys.modules)
c = client(warn=False, exit_flush_s=0)
c.choose("x").score(1.0)
c.score("id", 1.0)
c.flush(0.5)
print(sorted(set(sys.modules) - before))
""", url), "[]\n")

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_fork_while_a_thread_holds_every_lock_leaves_a_child_that_asks_and_reports(self):
        self.ended(self.start("""
from sextant_client import _reports
c = client()
c.choose("x")
locks = [c._shared.ran._lock, c._asking._pause._lock, c._transport._lock, c._reports._changed, _reports._key_tries._lock]
held = threading.Barrier(len(locks) + 1)
def hold(lock):
    with lock:
        held.wait()
        time.sleep(60)
for lock in locks: threading.Thread(target=hold, args=(lock,), daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(30)
    choice = c.choose("x")
    os._exit(0 if choice.reason is None and choice.score(1.0) and c.flush(20) else 3)
print(os.waitpid(child, 0)[1], flush=True)
os._exit(0)
"""), "0\n")


class Threads(WithService):
    def test_a_question_that_gets_no_thread_names_the_default_and_a_report_is_counted_as_lost(self):
        client = self.client()
        with mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start new thread")):
            choice = client.choose("x")
            self.assertFalse(client.score(RECOMMENDATION_ID, 1.0))
        self.assertEqual((choice.reason, client.dropped), ("unreachable", 1))
        # What could not be done then can be done now, as often as ever.
        for _ in range(40):
            client._transport.close()
            self.assertEqual(client.choose("x").source, "service")

    def test_a_thread_that_was_killed_is_replaced_and_its_report_is_counted(self):
        client = self.client()
        with mock.patch.object(client._transport, "post", side_effect=SystemExit), \
                mock.patch("threading.excepthook"):
            client.score(RECOMMENDATION_ID, 0.1)
            self.assertTrue(client.flush(20))
            client._reports._thread.join(20)
        client.score(RECOMMENDATION_ID, 0.2)
        self.assertTrue(client.flush(20))
        self.assertEqual((len(self.service.requests), client.dropped), (1, 1))

    def test_an_idle_thread_ends_so_that_forgotten_clients_leave_none_and_the_next_report_starts_another(self):
        with mock.patch.object(_reports, "_IDLE_S", 0.05):
            client = self.client()
            for _ in range(3):
                client.score(RECOMMENDATION_ID, 1.0)
                thread = client._reports._thread
                self.assertTrue(client.flush(20))
                if thread is not None:
                    thread.join(20)
                    self.assertFalse(thread.is_alive())
        self.assertEqual((len(self.service.requests), client.dropped), (3, 0))

    @unittest.skipUnless(hasattr(signal, "pthread_kill"), "needs signals of threads")
    def test_a_question_that_is_interrupted_leaves_its_connection_to_the_next_one(self):
        client, release = self.client(), threading.Event()
        connect = client._transport._connect

        def slowly(deadline):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            release.wait(20)
            return connect(deadline)
        with mock.patch.object(client._transport, "_connect", slowly):
            with self.assertRaises(KeyboardInterrupt):
                client.choose("x")
            release.set()
            until = time.monotonic() + 20
            while not client._transport._idle and time.monotonic() < until:
                time.sleep(0.01)
        self.assertEqual(client.choose("x").source, "service")
        self.assertEqual(self.service.connections, 1)


class Asynchronously(unittest.IsolatedAsyncioTestCase):
    async def test_a_loop_that_takes_no_more_work_gets_the_default(self):
        service = FakeService(answering())
        self.addCleanup(service.close)
        sextant = AsyncSextant(client=client_of(service.url))
        await asyncio.get_running_loop().shutdown_default_executor()
        choice = await sextant.choose("x")
        self.assertEqual((choice.model_id, choice.reason), ("gpt-4o", "unreachable"))

    async def test_questions_that_are_cancelled_leave_the_next_ones_unharmed(self):
        service = FakeService(answering())
        self.addCleanup(service.close)
        sextant = AsyncSextant(client=client_of(service.url))
        tasks = [asyncio.create_task(sextant.choose("x")) for _ in range(100)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        self.assertEqual({type(each) for each in await asyncio.gather(*tasks, return_exceptions=True)},
                         {asyncio.CancelledError})
        self.assertEqual((await sextant.choose("x")).source, "service")
        await sextant.close()
