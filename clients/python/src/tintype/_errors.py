"""The one error of the client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._generated import ErrorName, Phase


class TintypeError(Exception):
    """An error of the service, or of the way to the service.

    Errors of the way have the names `connect`, `connectionLost` and `deadlineExceeded`, and no phase.
    """

    def __init__(
        self, name: ErrorName, message: str, *, phase: Phase | None = None, retryable: bool | None = None, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
        self.phase = phase
        self.retryable = name.is_retryable if retryable is None else retryable
        """Whether the same request may succeed soon."""
        self.data: Mapping[str, Any] = data or {}
        """The members of `error.data`: status, limit, path and others, by the name of the error."""

    def __str__(self) -> str:
        return f"{self.name.value}: {self.message}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self.name, self.message, self.phase, self.retryable, dict(self.data)))

    @property
    def retry_after(self) -> float | None:
        """The seconds after which the service asks to try again."""
        value = self.data.get("retryAfter")
        return float(value) if isinstance(value, (int, float)) else None

    @property
    def status(self) -> int | None:
        """The status of the origin's answer."""
        value = self.data.get("status")
        return value if isinstance(value, int) else None

    @property
    def attempts(self) -> int:
        """The number of runs before the error; 0 if no work had begun."""
        return int(self.data.get("attempts", 0))

    @property
    def causes(self) -> list[Mapping[str, Any]]:
        """Why runs failed, each with `name` and perhaps `status`."""
        return list(self.data.get("causes", []))

    @classmethod
    def from_json(cls, error: Mapping[str, Any]) -> TintypeError:
        """Reads an error object of JSON-RPC. A name that this version does not know becomes `internal`, and stays in `data`."""
        data = error.get("data") or {}
        try:
            name = ErrorName(data.get("name", ""))
        except ValueError:
            name = ErrorName.of_code(error.get("code"))
        try:
            phase: Phase | None = Phase(data.get("phase", ""))
        except ValueError:
            phase = None
        return cls(name, str(error.get("message", "no message")), phase=phase, retryable=data.get("retryable"), data=data)


def _restored(name: ErrorName, message: str, phase: Phase | None, retryable: bool, data: Mapping[str, Any]) -> TintypeError:
    return TintypeError(name, message, phase=phase, retryable=retryable, data=data)
