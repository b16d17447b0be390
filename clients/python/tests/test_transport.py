"""Proxies, TLS and connections that come late."""

import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from .fakes import FakeService, RawServer, advice, answering, client_of


def pipe(source, target):
    """Copies bytes until either side ends."""
    try:
        while True:
            data = source.recv(65_536)
            if not data:
                break
            target.sendall(data)
    except OSError:
        return
    finally:
        for each in (source, target):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it was closed before


class Proxies(unittest.TestCase):
    def setUp(self):
        self.proxy = FakeService(answering())
        self.addCleanup(self.proxy.close)

    def choose(self, url, proxies):
        client = client_of(url, proxies=proxies)
        self.addCleanup(client.close, 0)
        return client.choose("x")

    def test_plain_http_goes_through_a_proxy_with_its_user(self):
        url = self.proxy.url.replace("http://", "http://ann:p%40ss@")
        self.assertEqual(self.choose("http://sextant.example/base", {"http": url}).source, "service")
        self.assertEqual(self.proxy.requests[0][0], "http://sextant.example/base/v1/recommend")
        self.assertEqual(self.proxy.headers[0]["host"], "sextant.example")
        self.assertEqual(self.proxy.headers[0]["proxy-authorization"], "Basic YW5uOnBAc3M=")

    def test_a_host_that_no_proxy_is_for_is_asked_itself(self):
        proxies = {"http": "http://127.0.0.1:1", "no": "127.0.0.1,other.example"}
        self.assertEqual(self.choose(self.proxy.url, proxies).source, "service")
        self.assertEqual(self.proxy.requests[0][0], "/v1/recommend")

    def test_the_environment_names_the_proxy_unless_the_program_does(self):
        with mock.patch.dict("os.environ", {"http_proxy": self.proxy.url, "no_proxy": ""}):
            self.assertEqual(self.choose("http://sextant.example", None).source, "service")

    def test_a_proxy_that_cannot_be_used_gives_the_default_and_not_an_error(self):
        for url in ("socks5://127.0.0.1:1", "https://127.0.0.1:1", "http://", "http://a:b", "http://[", "::"):
            choice = self.choose("http://sextant.example", {"http": url})
            self.assertEqual((choice.source, choice.reason), ("default", "unreachable"), url)

    def test_a_proxy_that_refuses_a_connection_gives_the_default(self):
        choice = self.choose("https://sextant.example", {"https": self.proxy.url})
        self.assertEqual(choice.reason, "unreachable", choice.detail)

    def test_a_proxy_that_drips_its_answer_gives_the_default_in_time(self):
        def serve(connection):
            while True:
                connection.sendall(b"H")
                time.sleep(0.01)
        server = RawServer(serve)
        self.addCleanup(server.close)
        client = client_of("https://sextant.example", proxies={"https": server.url}, deadline_ms=100)
        self.assertEqual(client.choose("x").reason, "timeout")


@unittest.skipUnless(shutil.which("openssl"), "openssl, which makes the certificate, is missing")
class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.certificate = Path(folder, "cert.pem")
        key = Path(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cls.certificate,
             "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
            check=True, capture_output=True)
        cls.server_tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        cls.server_tls.load_cert_chain(cls.certificate, key)

    def setUp(self):
        self.service = FakeService(answering())
        self.addCleanup(self.service.close)
        self.inner = int(self.service.url.rsplit(":", 1)[1])
        self.tls = RawServer(self.unwrap)
        self.addCleanup(self.tls.close)
        self.url = self.tls.url.replace("http://127.0.0.1", "https://localhost")

    def unwrap(self, connection):
        with self.server_tls.wrap_socket(connection, server_side=True) as outer:
            with socket.create_connection(("127.0.0.1", self.inner)) as inner:
                threading.Thread(target=pipe, args=(inner, outer), daemon=True).start()
                pipe(outer, inner)

    def client(self, **options):
        client = client_of(self.url, ssl_context=ssl.create_default_context(cafile=str(self.certificate)), **options)
        self.addCleanup(client.close, 0)
        return client

    def test_https_is_kept_open_between_questions(self):
        client = self.client()
        for _ in range(5):
            self.assertEqual(client.choose("x").source, "service")
        self.assertEqual(self.tls.connections, 1)

    def test_a_certificate_that_is_not_trusted_gives_the_default(self):
        client = client_of(self.url)
        self.assertEqual(client.choose("x").reason, "unreachable")

    def test_https_goes_through_a_proxy_in_a_tunnel(self):
        heads = []

        def proxy(connection):
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += connection.recv(1)
            heads.append(head)
            with socket.create_connection(("127.0.0.1", int(self.tls.url.rsplit(":", 1)[1]))) as inner:
                connection.sendall(b"HTTP/1.1 200 Connection established\r\nvia: test\r\n\r\n")
                threading.Thread(target=pipe, args=(inner, connection), daemon=True).start()
                pipe(connection, inner)
        server = RawServer(proxy)
        self.addCleanup(server.close)
        client = self.client(proxies={"https": server.url.replace("http://", "http://ann:x@")})
        self.assertEqual([client.choose("x").source for _ in range(2)], ["service", "service"])
        authority = self.url.replace("https://", "").encode()
        self.assertEqual(heads[0].split(b"\r\n")[0], b"CONNECT %b HTTP/1.1" % authority)
        self.assertIn(b"proxy-authorization: Basic YW5uOng=", heads[0])
        self.assertEqual(len(heads), 1)
        self.assertNotIn("proxy-authorization", self.service.headers[0])


class Late(unittest.TestCase):
    def test_a_connection_that_comes_too_late_for_its_question_serves_the_next_one(self):
        service = FakeService(answering())
        self.addCleanup(service.close)
        client = client_of(service.url)
        self.addCleanup(client.close, 0)
        release, made = threading.Event(), threading.Event()
        connect = socket.create_connection

        def slow(*args, **options):
            release.wait(20)
            try:
                return connect(*args, **options)
            finally:
                made.set()
        with mock.patch("socket.create_connection", slow):
            self.assertEqual(client.choose("x", deadline_ms=50).reason, "timeout")
            release.set()
            self.assertTrue(made.wait(10))
            while not client._transport._idle:
                time.sleep(0.001)
        with mock.patch("socket.create_connection", side_effect=AssertionError("a second connection")):
            self.assertEqual(client.choose("x").source, "service")

    def test_a_lookup_that_hangs_holds_no_question_and_no_more_than_a_bounded_number_of_threads(self):
        release = threading.Event()
        self.addCleanup(release.set)
        started = []

        def hang(address, **options):
            started.append(address[0])
            release.wait(20)
            raise OSError("no")
        client = client_of("http://sextant.example", deadline_ms=10)
        with mock.patch("socket.create_connection", hang):
            for _ in range(40):
                client._asking.reset()  # else the pause after three failures would end the questions
                self.assertEqual(client.choose("x").reason, "timeout")
        self.assertEqual(started.count("sextant.example"), 32)

    def test_a_thread_that_cannot_be_started_gives_the_default(self):
        client = client_of("http://127.0.0.1:1")
        with mock.patch("threading.Thread.start", side_effect=RuntimeError("can't start new thread")):
            self.assertEqual(client.choose("x").source, "default")
            self.assertFalse(client.score("id", 1.0))
        self.assertEqual(client.losses[0].reason, "queue_full")

    def test_an_answer_of_one_question_is_never_given_to_another_thread(self):
        def answer(path, body):
            time.sleep(0.002 * (len(body["task"]["task"]) % 3))
            return 200, advice(recommendation_id=body["task"]["task"])
        service = FakeService(answer)
        self.addCleanup(service.close)
        client = client_of(service.url, deadline_ms=4)
        self.addCleanup(client.close, 0)
        wrong = []

        def ask(thread):
            for i in range(40):
                client._asking.reset()
                task = f"{thread}-{'x' * i}"
                got = client.choose(task).recommendation_id
                if got not in (None, task):
                    wrong.append((task, got))
        threads = [threading.Thread(target=ask, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
