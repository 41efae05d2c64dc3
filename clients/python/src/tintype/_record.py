"""How values of Python become the JSON of messages, and back."""

from __future__ import annotations

import base64
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self


class Record:
    """A value with named members: an operation, options, a result or an event. Its subclasses are dataclasses."""

    __slots__ = ()

    _tag: ClassVar[tuple[str, str] | None] = None
    """The member that names the kind of record, and its value."""
    _names: ClassVar[Mapping[str, str]] = {}
    """The names of members on the wire that do not follow from those of Python by `_wire`."""

    def to_json(self) -> dict[str, Any]:
        """Returns the members that are given, with the names of the wire."""
        json: dict[str, Any] = {}
        if self._tag is not None:
            json[self._tag[0]] = self._tag[1]
        for attribute, name, _ in _shape(type(self)):
            value = getattr(self, attribute)
            if value is not None:
                json[name] = plain(value)
        return json

    @classmethod
    def from_json(cls, json: Mapping[str, Any]) -> Self:
        """Reads the members that this version knows; others are left out."""
        values: dict[str, Any] = {}
        for attribute, name, read in _shape(cls):
            value = json.get(name)
            values[attribute] = value if value is None or read is None else read(value)
        return cls(**values)


def plain(value: Any) -> Any:
    """Returns a value in the types of JSON."""
    if isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Record):
        return value.to_json()
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


_Readers = tuple[tuple[str, str, Callable[[Any], Any] | None], ...]
_shapes: dict[type[Record], _Readers] = {}
"""The members of each class that was used: the name here, the name on the wire, and how JSON becomes the value."""


def _shape(cls: type[Record]) -> _Readers:
    found = _shapes.get(cls)
    if found is None:
        hints = typing.get_type_hints(cls)
        fields: Mapping[str, object] = getattr(cls, "__dataclass_fields__", {})
        found = _shapes[cls] = tuple(
            (name, cls._names.get(name) or _wire(name), _reader(hint)) for name, hint in hints.items() if typing.get_origin(hint) is not ClassVar and name in fields)
    return found


def _wire(name: str) -> str:
    """Returns the name of a member on the wire: `max_bytes` is `maxBytes`, and `as_` is `as`."""
    first, *others = name.rstrip("_").split("_")
    return first + "".join(map(str.capitalize, others))


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    """Returns the function that reads a member of a type; None if JSON has the type itself."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        readers = [_reader(one) for one in typing.get_args(hint) if one is not type(None)]
        return readers[0] if len(readers) == 1 else None
    if typing.get_origin(hint) is tuple:
        read = _reader(typing.get_args(hint)[0])
        return tuple if read is None else lambda values: tuple(map(read, values))
    if hint is bytes:
        return base64.b64decode
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.from_json
    return None
