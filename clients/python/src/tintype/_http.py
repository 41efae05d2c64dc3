"""Bytes over HTTP: results come from there, and uploads go there."""

from __future__ import annotations

import asyncio
import json
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ._errors import TintypeError
from ._generated import ErrorName


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    status: int
    headers: dict[str, str]
    body: bytes


class HTTP:
    """One request a connection: pictures are long, and connections on a network of servers are cheap."""

    def __init__(self, base: str, tls: ssl.SSLContext | None, timeout: float) -> None:
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"expected http://HOST:PORT or https://HOST:PORT, not {base!r}")
        self._host = parts.hostname
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        self._path = parts.path.rstrip("/")
        self._timeout = timeout

    async def ask(self, method: str, path: str, token: str | None, body: bytes | None = None, most: int = 1 << 30) -> Answer:
        """Sends a request and reads its whole answer. Raises `connect`, `connectionLost`, `deadlineExceeded` or `tls`."""
        # A query may have a secret.
        name = f"{method} {path.partition('?')[0]}"
        try:
            async with asyncio.timeout(self._timeout):
                return await self._ask(method, path, token, body, most)
        except TimeoutError:
            raise TintypeError(ErrorName.DEADLINE_EXCEEDED, f"{name} took more than {self._timeout} s") from None
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            raise TintypeError(ErrorName.CONNECTION_LOST, f"{name}: {error}") from error
        except ssl.SSLCertVerificationError as error:
            raise TintypeError(ErrorName.TLS, f"{self._host}: {error.verify_message}") from error
        except OSError as error:
            raise TintypeError(ErrorName.CONNECTION_LOST, f"{name}: {error}") from error

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await asyncio.open_connection(self._host, self._port, ssl=self._tls)
        except ssl.SSLCertVerificationError:
            raise
        except OSError as error:
            raise TintypeError(ErrorName.CONNECT, f"no HTTP at {self._host}:{self._port}: {error}") from error

    async def _ask(self, method: str, path: str, token: str | None, body: bytes | None, most: int) -> Answer:
        reader, writer = await self._open()
        try:
            host = f"[{self._host}]" if ":" in self._host else self._host
            lines = [f"{method} {self._path}{path} HTTP/1.1", f"Host: {host}:{self._port}", "Connection: close"]
            if token is not None:
                lines.append(f"Authorization: Bearer {token}")
            if body is not None:
                lines.append(f"Content-Length: {len(body)}")
            writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
            if body is not None:
                writer.write(body)
            await writer.drain()
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            status = int(head[0].split(" ", 2)[1])
            headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
            return Answer(status, headers, await self._body(reader, headers, most))
        finally:
            writer.close()

    @staticmethod
    async def _body(reader: asyncio.StreamReader, headers: dict[str, str], most: int) -> bytes:
        if "chunked" in headers.get("transfer-encoding", ""):
            pieces: list[bytes] = []
            length = 0
            while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                length += size
                if length > most:
                    raise ValueError(f"a body of more than {most} bytes")
                pieces.append((await reader.readexactly(size + 2))[:-2])
            return b"".join(pieces)
        length = int(headers.get("content-length", "0"))
        if length > most:
            raise ValueError(f"a body of {length} bytes")
        return await reader.readexactly(length)


def failure(answer: Answer, what: str) -> TintypeError:
    """Returns the error of an answer that is no success."""
    try:
        given = json.loads(answer.body)
    except ValueError:
        given = None
    found = given.get("error") if isinstance(given, dict) else None
    error: dict[str, Any] = found if isinstance(found, dict) else {}
    if isinstance(error.get("code"), int):
        return TintypeError.from_json(error)
    data: dict[str, Any] = {}
    # A proxy may give a date.
    if answer.headers.get("retry-after", "").isdecimal():
        data["retryAfter"] = float(answer.headers["retry-after"])
    names = {
        401: ErrorName.UNAUTHENTICATED, 403: ErrorName.FORBIDDEN, 404: ErrorName.CACHE_MISS, 413: ErrorName.LIMIT_EXCEEDED,
        429: ErrorName.OVERLOADED, 503: ErrorName.OVERLOADED,
    }
    data["status"] = answer.status
    return TintypeError(names.get(answer.status, ErrorName.INTERNAL), error.get("message") or f"{what} was answered {answer.status}", data=data)
