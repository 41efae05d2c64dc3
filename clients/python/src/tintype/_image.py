"""A loaded image."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from ._generated import ImageResult, RenditionInfo, SourceInfo, Timings


class Reader(Protocol):
    """Where the bytes of results come from."""

    async def read(self, info: RenditionInfo) -> bytes: ...


class Facts:
    """The properties of an image: `url`, `width` and the like are those of its first rendition; `image["thumb"]` is the rendition of that name."""

    def __init__(self, json: Mapping[str, Any]) -> None:
        self.json = json
        """The result as it came."""

    @functools.cached_property
    def result(self) -> ImageResult:
        """All that the service says about the result."""
        return ImageResult.from_json(self.json)

    @property
    def source(self) -> SourceInfo:
        return self.result.source

    @property
    def renditions(self) -> tuple[RenditionInfo, ...]:
        return self.result.renditions

    @property
    def description(self) -> Mapping[str, Any]:
        """The answers to `describe` and `samples`."""
        return self.result.description or {}

    @property
    def metrics(self) -> Timings:
        """The seconds of each step."""
        return self.result.metrics or Timings()

    @property
    def receipt(self) -> str | None:
        return self.json.get("receipt")

    @property
    def origin(self) -> str:
        """Where the result came from: remote, sources, results, memory or fallback."""
        return str(self.json["from"])

    @property
    def first(self) -> RenditionInfo:
        return self.renditions[0]

    def __getitem__(self, name: str) -> RenditionInfo:
        for one in self.renditions:
            if one.name == name:
                return one
        raise KeyError(f"no rendition {name!r}: {', '.join(str(one.name) for one in self.renditions)}")

    @property
    def key(self) -> str:
        return self.first.key

    @property
    def url(self) -> str:
        """The path that serves the first rendition, on the HTTP port."""
        return self.first.url

    @property
    def format(self) -> str | None:
        return self.first.format

    @property
    def content_type(self) -> str:
        return self.first.content_type

    @property
    def width(self) -> int | None:
        return self.first.width

    @property
    def height(self) -> int | None:
        return self.first.height

    def __repr__(self) -> str:
        if not self.renditions:
            return f"<Image of {self.source.url}>"
        return f"<Image {self.format} {self.width}x{self.height}, {self.first.bytes} bytes, from {self.origin}>"


class Image(Facts):
    """The result of a request, with its properties and its bytes."""

    def __init__(self, json: Mapping[str, Any], reader: Reader) -> None:
        super().__init__(json)
        self._reader = reader

    async def read(self, name: str | None = None) -> bytes:
        """Returns the bytes of a rendition; without a name, of the first one.

        Raises `cacheMiss` when no cache keeps them any more.
        """
        info = self.first if name is None else self[name]
        return info.data if info.data is not None else await self._reader.read(info)

    async def save(self, path: str | os.PathLike[str], name: str | None = None) -> Path:
        """Writes the bytes of a rendition to a file, whole or not at all."""
        data = await self.read(name)
        return await asyncio.to_thread(_save, Path(path), data)


def _save(path: Path, data: bytes) -> Path:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path
