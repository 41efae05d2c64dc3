"""The framing of messages: one a line."""

from __future__ import annotations


class Lines:
    """Cuts received bytes into lines, and keeps the beginning of the next one.

    - `most`: the most bytes of a line. Inline bytes come in base64, up to 8 MiB for each rendition.
    """

    def __init__(self, most: int = 512 << 20) -> None:
        self._rest: list[bytes] = []
        self._length = 0
        self._most = most

    def feed(self, data: bytes) -> list[bytes]:
        """Returns the lines that are complete now, without their ends.

        Raises ValueError when a line has more bytes than any answer.
        """
        lines = data.split(b"\n")
        rest = lines.pop()
        if lines and self._rest:
            self._rest.append(lines[0])
            lines[0] = b"".join(self._rest)
            self._rest.clear()
            self._length = 0
        if rest:
            self._rest.append(rest)
            self._length += len(rest)
            if self._length > self._most:
                raise ValueError(f"a line of more than {self._most} bytes")
        return lines
