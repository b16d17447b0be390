"""Servers that tests ask: one that answers as it is given, and raw ones that do harm."""

from __future__ import annotations

import json
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple

from sextant_client import Sextant

KEY = "sxt_acme_k1_" + "a" * 32
MODELS = ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro"]
RECOMMENDATION_ID = "0190aaaa-0000-7000-8000-000000000001"

# A status, a body, and headers where there are any.
Answer = Tuple[Any, ...]


def ranked(model_id: str, provider: str, success: float) -> Dict[str, Any]:
    """What an answer says of one model, as far as the client reads it."""
    return {"model_id": model_id, "provider": provider, "predicted_success": success}


def advice(model_id: str = "claude-sonnet-4-5", fallback: Optional[str] = None, **over: Any) -> Dict[str, Any]:
    """An answer to a recommendation."""
    models = [
        ranked("claude-sonnet-4-5", "anthropic", 0.8),
        ranked("gpt-4o", "openai", 0.6),
        ranked("gemini-2.5-pro", "google", 0.7),
    ]
    by_id = {model["model_id"]: model for model in models}
    return {
        "recommendation_id": RECOMMENDATION_ID,
        "recommended_model": by_id.get(model_id, ranked(model_id, "other", 0.5)),
        "ranked": models,
        "fallback_model": None if fallback is None else by_id[fallback],
        **over,
    }


class FakeService:
    """An HTTP server on a free port; `answer` gives status, body and perhaps headers for a path and a body."""

    def __init__(self, answer: Callable[[str, Any], Answer]) -> None:
        self.requests: List[Tuple[str, Any]] = []
        self.headers: List[Dict[str, str]] = []
        self.connections = 0
        self._lock = threading.Lock()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Else the answer's end waits for the acknowledgement of its beginning.
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                with service._lock:
                    service.connections += 1

            def do_POST(self) -> None:
                text = self.rfile.read(int(self.headers.get("content-length", "0")))
                body = json.loads(text)
                with service._lock:
                    service.requests.append((self.path, body))
                    service.headers.append({name.lower(): value for name, value in self.headers.items()})
                status, given, *headers = answer(self.path, body)
                data = given if isinstance(given, bytes) else json.dumps(given).encode()
                try:
                    self.send_response(status)
                    for name, value in (headers[0] if headers else {}).items():
                        self.send_header(name, value)
                    self.send_header("content-length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True  # the client did not wait

            def log_message(self, *_: Any) -> None:
                return

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            # What a server does by default is to wait for every kept connection.
            block_on_close = False

            def handle_error(self, request: Any, client_address: Any) -> None:
                if not isinstance(sys.exc_info()[1], OSError):
                    super().handle_error(request, client_address)

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def bodies(self, path: str) -> List[Any]:
        """The bodies that came to a path."""
        with self._lock:
            return [body for at, body in self.requests if at.endswith(path)]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def answering(recommendation: Any = None, feedback: Any = None) -> Callable[[str, Any], Answer]:
    """A service that recommends and accepts; another tuple of status and body may be given for either."""
    asked = recommendation if isinstance(recommendation, tuple) else (200, recommendation or advice())
    told = feedback if isinstance(feedback, tuple) else (200, feedback or {"accepted": True, "warnings": []})
    return lambda path, _: asked if path.endswith("/v1/recommend") else told


class Switch:
    """Answers questions and reports as a test says at the time."""

    def __init__(self, recommendation: Any = None, feedback: Any = None) -> None:
        self.set(recommendation, feedback)

    def set(self, recommendation: Any = None, feedback: Any = None) -> None:
        self._answer = answering(recommendation, feedback)

    def __call__(self, path: str, body: Any) -> Answer:
        return self._answer(path, body)


class RawServer:
    """A TCP server on a free port; `serve` gets each connection, in a thread of its own."""

    def __init__(self, serve: Callable[[socket.socket], None]) -> None:
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._serve = serve
        self._open: List[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._run, args=(connection,), daemon=True).start()

    def _run(self, connection: socket.socket) -> None:
        try:
            self._serve(connection)
        except OSError:
            return  # the client left
        finally:
            connection.close()

    def close(self) -> None:
        self._listener.close()
        for connection in self._open:
            connection.close()


def dead_url() -> str:
    """The URL of a port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def client_of(url: str, **options: Any) -> Sextant:
    """A client whose defaults and losses are in its lists `defaults` and `losses`."""
    defaults: List[Tuple[str, str]] = []
    losses: List[Any] = []
    given = {
        "models": MODELS,
        "default_model_id": "gpt-4o",
        "deadline_ms": 5_000,
        "proxies": {},
        "exit_flush_s": 0,
        "on_default": lambda reason, detail: defaults.append((reason, detail)),
        "on_dropped": losses.append,
        **options,
    }
    client = Sextant(url, KEY, **given)
    client.defaults, client.losses = defaults, losses  # type: ignore[attr-defined]
    return client
