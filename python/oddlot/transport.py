"""HTTP requests with retries."""

from __future__ import annotations

import random
import time
from typing import Any, Callable, Mapping

import httpx

from .errors import ApiError, NoAnswerError

_API_VERSION = "2026-08-16"
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 5.0

#: Returns the body for the next attempt. The argument is true if an earlier attempt may have executed.
NextBody = Callable[[bool], Mapping[str, Any]]


class Transport:
    """Posts JSON, and retries requests that get no response for at most `retry_seconds`."""

    def __init__(self, url: str, *, timeout: float, retry_seconds: float) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"The URL of a venue starts with http:// or https://: {url}")
        self.url = url.rstrip("/")
        self._retry_seconds = retry_seconds
        self._http = httpx.Client(timeout=timeout, headers={"x-api-version": _API_VERSION})

    def close(self) -> None:
        self._http.close()

    def query(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Posts a request that is safe to repeat, and returns the successful response."""
        status, answer = self.post(path, lambda _: body)
        if answer.get("success") is not True:
            raise error_of(status, answer)
        return answer

    def post(
        self, path: str, next_body: NextBody, tx_hash: Callable[[], str] | None = None
    ) -> tuple[int, Mapping[str, Any]]:
        """Posts until the venue responds. The same signed bytes are executed only once."""
        deadline = time.monotonic() + self._retry_seconds
        pause = _FIRST_PAUSE
        may_have_executed = False
        while True:
            body = next_body(may_have_executed)
            status, answer, wait = self._attempt(path, body)
            if answer is not None and status < 500 and status != 429:
                return status, answer
            if status != 429:
                may_have_executed = True
            pause = min(pause * 2, _LONGEST_PAUSE)
            delay = wait if wait is not None else pause * random.uniform(0.5, 1)
            if time.monotonic() + delay > deadline:
                if answer is not None and not (tx_hash is not None and may_have_executed):
                    raise error_of(status, answer)
                raise NoAnswerError(
                    f"No answer of {path} within {self._retry_seconds:g} s (last status {status})",
                    tx_hash=None if tx_hash is None else tx_hash(),
                )
            time.sleep(delay)

    def _attempt(
        self, path: str, body: Mapping[str, Any]
    ) -> tuple[int, Mapping[str, Any] | None, float | None]:
        """Returns the status, the response and `Retry-After`. Status 0 means that the connection failed."""
        try:
            response = self._http.post(self.url + path, json=body)
            answer = response.json()
        except (httpx.TransportError, ValueError):
            return 0, None, None
        after = response.headers.get("retry-after")
        seconds = None if after is None else float(after)
        return response.status_code, answer if isinstance(answer, dict) else None, seconds


def error_of(status: int, answer: Mapping[str, Any]) -> ApiError:
    message = answer.get("message") or answer.get("response") or f"HTTP {status}"
    return ApiError(
        message,
        code=answer.get("code", 0),
        name=answer.get("name"),
        details=answer.get("details"),
        http_status=status,
    )
