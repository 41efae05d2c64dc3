"""URLs for the picture door of a coordinator, and for imgproxy."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from pathlib import Path
from urllib.parse import quote


class Signer:
    """Makes signed picture URLs, without asking the service.

    - `key`, `salt`: hexadecimal digits, as the coordinator has them in `--images-keys`.
    - `base`: what stands before the path, such as `https://pictures.example.org`.
    """

    def __init__(self, key: str, salt: str, base: str = "") -> None:
        self._key = bytes.fromhex(key)
        self._salt = bytes.fromhex(salt)
        if not self._key or not self._salt:
            raise ValueError("key and salt must not be empty")
        self._base = base.rstrip("/")

    @classmethod
    def from_file(cls, path: str | Path, base: str = "") -> Signer:
        """Reads the first pair of a file of `--images-keys`."""
        for line in Path(path).read_text().splitlines():
            words = line.split()
            if len(words) == 2 and not line.lstrip().startswith("#"):
                return cls(words[0], words[1], base)
        raise ValueError(f"{path} has no line with a key and its salt")

    def url(self, source: str, *options: str, format: str | None = None, expires_in: float | None = None, plain: bool = False) -> str:
        """Returns the URL of a picture.

        - `options`: such as `"rs:fill:300:200"` and `"q:80"` (docs/imgproxy.md).
        - `format`: the format of the picture. Default: that of the source, or by the client's Accept.
        - `expires_in`: seconds after which the URL is refused. Default: never.
        - `plain`: leaves the source readable. A proxy that merges slashes spoils such a URL.
        """
        parts = [part for option in options for part in option.split("/")]
        if expires_in is not None:
            parts.append(f"exp:{int(time.time() + expires_in)}")
        if plain:
            # Dots between slashes would be a dot segment, so the slashes beside them stay escaped.
            readable = "" if {".", ".."} & set(source.split("/")) else "/:"
            end = f"/plain/{quote(source, safe=readable)}" + (f"@{format}" if format else "")
        else:
            end = f"/{_text(source.encode())}" + (f".{format}" if format else "")
        path = "".join(f"/{part}" for part in parts) + end
        return f"{self._base}/{self.signature(path)}{path}"

    def signature(self, path: str) -> str:
        """Returns the signature of a path that begins with its second slash."""
        return _text(hmac.digest(self._key, self._salt + path.encode(), hashlib.sha256))


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
