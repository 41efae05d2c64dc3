"""Pauses between tries."""

from __future__ import annotations

import random
from collections.abc import Callable


class Backoff:
    """Pauses that double up to a limit. Each is shortened by up to a half, so that many clients do not come back at one moment."""

    def __init__(self, first: float = 0.05, most: float = 5.0, chance: Callable[[], float] = random.random) -> None:
        self._first = first
        self._most = most
        self._chance = chance
        self._tries = 0

    def pause(self) -> float:
        """Returns the next pause in seconds."""
        whole = min(self._most, self._first * 2.0 ** min(self._tries, 32))
        self._tries += 1
        return whole * (1 - self._chance() / 2)

    def reset(self) -> None:
        """Begins again with the shortest pause."""
        self._tries = 0
