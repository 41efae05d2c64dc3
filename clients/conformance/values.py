"""The values of exchanges, and how they are compared."""

from __future__ import annotations

from typing import Any


def expand(value: Any, values: dict[str, Any]) -> Any:
    """Puts the values of the file in the place of their names."""
    if isinstance(value, list):
        return [expand(one, values) for one in value]
    if isinstance(value, dict):
        name = next(iter(value), "")
        if len(value) == 1 and name.startswith("$"):
            return {**expand(name, values), **expand(value[name], values)}
        return {name: expand(one, values) for name, one in value.items()}
    if isinstance(value, str) and value.startswith("$") and value[1:] in values:
        return expand(values[value[1:]], values)
    return value.replace("$gate", values["gate"]) if isinstance(value, str) else value


def mismatch(expected: Any, found: Any, place: str = "") -> str | None:
    """Returns where a value is not the expected one. Members that are not expected count for nothing."""
    wrong = f"{place}: {str(found)[:500]} is not {expected}"
    match expected:
        case {"any": choices}:
            return None if any(mismatch(one, found) is None for one in choices) else wrong
        case {"least": least}:
            return None if found is not None and found >= least else wrong
        case dict() if isinstance(found, dict):
            return next((fault for name, one in expected.items() if (fault := mismatch(one, found.get(name), f"{place}.{name}"))), None)
        case list() if isinstance(found, list) and len(found) == len(expected):
            return next((fault for index, one in enumerate(expected) if (fault := mismatch(one, found[index], f"{place}[{index}]"))), None)
        case "$any":
            return wrong if found is None else None
        case str() if expected.startswith("…"):
            return None if expected[1:] in str(found) else wrong
    return None if found == expected else wrong


def same(expected: Any, found: Any) -> None:
    fault = mismatch(expected, found)
    if fault is not None:
        raise AssertionError(fault)
