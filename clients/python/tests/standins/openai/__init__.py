"""The parts of openai 3.22.1 that `sextant_client.openai` touches, with one request per call over the standard library.

`_base_client.py` (`request`, `post`, `copy`, retries), `_models.py` (`FinalRequestOptions`), `_streaming.py`,
`_legacy_response.py` and `_exceptions.py`.
"""

import asyncio
import json
import os
import urllib.error
import urllib.request


class _Object:
    """A parsed answer, whose fields are attributes; unknown ones are None, as optional fields are."""

    def __init__(self, fields):
        self.__dict__.update({name: _parsed(value) for name, value in fields.items()})

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return None

    def model_dump(self):
        return {name: _dumped(value) for name, value in self.__dict__.items() if not name.startswith("_")}


def _parsed(value):
    if isinstance(value, dict):
        return _Object(value)
    return [_parsed(each) for each in value] if isinstance(value, list) else value


def _dumped(value):
    if isinstance(value, _Object):
        return value.model_dump()
    return [_dumped(each) for each in value] if isinstance(value, list) else value


class APIError(Exception):
    def __init__(self, message, body):
        super().__init__(message)
        self.body = body


class APIConnectionError(APIError):
    pass


class APIStatusError(APIError):
    def __init__(self, message, status_code, body):
        super().__init__(message, body)
        self.status_code = status_code


class FinalRequestOptions:
    def __init__(self, method, url, json_data, raw=False):
        self.method, self.url, self.json_data, self.raw = method, url, json_data, raw
        self.max_retries = None


def _events(response):
    """What a stream of server-sent events carries, until its end."""
    try:
        for line in response:
            if not line.startswith(b"data:"):
                continue
            text = line[5:].strip()
            if text.startswith(b"[DONE]"):
                return
            data = json.loads(text)
            if data.get("error"):
                raise APIError(data["error"].get("message"), data["error"])
            yield _Object(data)
    finally:
        response.close()


class Stream:
    def __init__(self, response):
        self.response = response
        self._iterator = _events(response)

    def __next__(self):
        return self._iterator.__next__()

    def __iter__(self):
        yield from self._iterator

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.response.close()


class AsyncStream:
    def __init__(self, response):
        self.response = response
        self._iterator = self.__stream__()

    async def __stream__(self):
        for event in _events(self.response):
            await asyncio.sleep(0)
            yield event

    async def __anext__(self):
        return await self._iterator.__anext__()

    async def __aiter__(self):
        async for event in self._iterator:
            yield event

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.close()

    async def close(self):
        self.response.close()


class _RawResponse:
    def __init__(self, response, stream_cls):
        self.http_response = response
        self._made = stream_cls(response) if stream_cls else None
        self.text = None if stream_cls else response.read().decode()

    def parse(self):
        self._made = self._made or _Object(json.loads(self.text))
        return self._made


class _Client:
    def __init__(self, *, api_key=None, base_url=None, max_retries=2):
        self.api_key = api_key or os.environ["OPENAI_API_KEY"]
        self.base_url = str(base_url or os.environ["OPENAI_BASE_URL"])
        self.max_retries = max_retries
        self.chat = type("Chat", (), {"completions": self._resource("/chat/completions")})()
        self.responses = self._resource("/responses")
        self.embeddings = self._resource("/embeddings")

    def _resource(self, path):
        return _Resource(self, path)

    def copy(self, *, max_retries=None, **_):
        retries = self.max_retries if max_retries is None else max_retries
        return type(self)(api_key=self.api_key, base_url=self.base_url, max_retries=retries)

    with_options = copy

    def _send(self, options, stream, stream_cls):
        retries = self.max_retries if options.max_retries is None else options.max_retries
        while True:
            sent = urllib.request.Request(
                self.base_url.rstrip("/") + options.url, json.dumps(options.json_data).encode(),
                {"content-type": "application/json", "authorization": f"Bearer {self.api_key}"})
            try:
                response = urllib.request.urlopen(sent, timeout=20)
                break
            except urllib.error.HTTPError as error:
                text = error.read()
                if retries == 0 or error.code not in (408, 409, 429) and error.code < 500:
                    body = json.loads(text or b"{}").get("error")
                    raise APIStatusError(f"Error code: {error.code} - {body}", error.code, body) from None
            except urllib.error.URLError as error:
                if retries == 0:
                    raise APIConnectionError("Connection error.", None) from error
            retries -= 1
        if options.raw:
            return _RawResponse(response, stream_cls if stream else None)
        if stream:
            return stream_cls(response)
        with response:
            return _Object(json.load(response))


class OpenAI(_Client):
    stream_cls = Stream

    def post(self, path, *, body, raw=False, stream=False, stream_cls=None):
        options = FinalRequestOptions("post", path, body, raw)
        return self.request(dict, options, stream=stream, stream_cls=stream_cls)

    def request(self, cast_to, options, *, stream=False, stream_cls=None):
        return self._send(options, stream, stream_cls)


class AsyncOpenAI(_Client):
    stream_cls = AsyncStream

    async def post(self, path, *, body, raw=False, stream=False, stream_cls=None):
        options = FinalRequestOptions("post", path, body, raw)
        return await self.request(dict, options, stream=stream, stream_cls=stream_cls)

    async def request(self, cast_to, options, *, stream=False, stream_cls=None):
        return await asyncio.to_thread(self._send, options, stream, stream_cls)


class _Resource:
    def __init__(self, client, path, raw=False):
        self._client, self._path, self._raw = client, path, raw
        self._post = client.post

    @property
    def with_raw_response(self):
        return _Resource(self._client, self._path, True)

    def create(self, **body):
        stream = body.get("stream") is True
        return self._post(
            self._path, body=body, raw=self._raw, stream=stream, stream_cls=self._client.stream_cls)
