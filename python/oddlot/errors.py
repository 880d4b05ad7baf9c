"""Errors that the client raises."""

from __future__ import annotations

from typing import Any, Mapping


class OddlotError(Exception):
    """Base class for the errors in this package."""


class ApiError(OddlotError):
    """The venue rejected a request; it had no effect."""

    def __init__(
        self,
        message: str,
        *,
        code: int = 0,
        name: str | None = None,
        details: Mapping[str, Any] | None = None,
        http_status: int = 200,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        #: Stable name of the error, such as `MARGIN`; see the page on errors.
        self.name = name
        self.details: Mapping[str, Any] = details or {}
        self.http_status = http_status

    def __str__(self) -> str:
        field = self.details.get("field")
        where = "" if field is None else f" (field {field})"
        why = self.details.get("why")
        reason = "" if why is None else f" {why}"
        return f"{self.name or self.http_status}: {self.message}{where}{reason}"


class NoAnswerError(OddlotError):
    """No response arrived in time. A signed action may have executed: query its receipt by `tx_hash`."""

    def __init__(self, message: str, *, tx_hash: str | None = None) -> None:
        super().__init__(message)
        self.tx_hash = tx_hash


class StreamError(OddlotError):
    """The venue rejected a subscription."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
