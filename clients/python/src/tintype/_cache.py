"""The caches of the service."""

from __future__ import annotations

from typing import Any

from ._generated import ErrorName, Methods, Request, Tier
from ._errors import TintypeError
from ._image import Image, Reader


class Cache:
    """What the service keeps. An image is named by its key, or by the request that made it."""

    def __init__(self, methods: Methods, reader: Reader) -> None:
        self._methods = methods
        self._reader = reader

    async def get(self, image: str | Request, *, tier: Tier | None = None) -> Image | None:
        """Returns an image that is kept, or None. Never makes one."""
        try:
            return Image((await self._methods.cache_get(**_target(image), tier=tier)).to_json(), self._reader)
        except TintypeError as error:
            if error.name is ErrorName.CACHE_MISS:
                return None
            raise

    async def contains(self, image: str | Request) -> tuple[Tier, ...]:
        """Returns the tiers that have the image."""
        return tuple((await self._methods.cache_contains(**_target(image)))["tiers"])

    async def remove(self, image: str | Request, *, tier: Tier | None = None) -> int:
        """Removes an image, or all renditions of a request and its source. Returns how many entries went."""
        return int((await self._methods.cache_remove(**_target(image), tier=tier))["removed"])

    async def purge(self, *, url: str | None = None, prefix: str | None = None, tag: str | None = None, scope: str | None = None) -> Any:
        """Removes everything from a URL, from URLs with a prefix, or with a tag. Returns how much of each kind it hit."""
        return await self._methods.cache_purge(url=url, prefix=prefix, tag=tag, scope=scope)

    async def pin(self, image: str | Request) -> int:
        """Keeps results until they expire, whatever the limits of the store. Returns how many the store has."""
        return int((await self._methods.cache_pin(**_target(image)))["pinned"])

    async def unpin(self, image: str | Request) -> int:
        return int((await self._methods.cache_unpin(**_target(image)))["unpinned"])

    async def stats(self) -> Any:
        """Returns `count`, `bytes` and `capacity` of each tier."""
        return await self._methods.cache_stats()


def _target(image: str | Request) -> dict[str, Any]:
    return {"key": image} if isinstance(image, str) else {"request": image}
