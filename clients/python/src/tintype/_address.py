"""The address of a coordinator."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Address:
    """`tcp://HOST:PORT`, `tls://HOST:PORT` or `unix:///PATH`. Without a scheme an address is TCP; the usual port is 7411."""

    host: str
    port: int
    is_secure: bool = False
    path: str | None = None

    @classmethod
    def parse(cls, text: str) -> Address:
        parts = urlsplit(text if "://" in text else f"tcp://{text}")
        if parts.scheme == "unix" and parts.path:
            return cls("", 0, path=parts.path)
        if parts.scheme not in ("tcp", "tls") or not parts.hostname or parts.path.strip("/") or parts.username is not None:
            raise ValueError(f"expected tcp://HOST:PORT, tls://HOST:PORT or unix:///PATH, not {text!r}")
        return cls(parts.hostname, parts.port or 7411, is_secure=parts.scheme == "tls")

    def __str__(self) -> str:
        if self.path is not None:
            return f"unix://{self.path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tls' if self.is_secure else 'tcp'}://{host}:{self.port}"


def addresses(texts: tuple[str, ...]) -> tuple[Address, ...]:
    """Reads the addresses of several coordinators. A text may have several, with commas between."""
    found = tuple(Address.parse(one.strip()) for text in texts for one in text.split(",") if one.strip())
    if not found:
        raise ValueError("at least one coordinator is needed, such as tcp://127.0.0.1:7411")
    return found
