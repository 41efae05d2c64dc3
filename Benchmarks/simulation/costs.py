"""The measured costs, in seconds and bytes. `costs.json` says of each where it was measured."""

import bisect
import json
import os
import types

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "costs.json")


def read():
    """The entries of `costs.json` by name, with units of time as seconds."""
    units = {"µs": 1e-6, "ms": 1e-3, "s": 1, "bytes": 1, "1": 1}
    with open(FILE) as file:
        entries = json.load(file)["costs"]
    for name, entry in entries.items():
        if not entry.get("from"):
            raise SystemExit(f"costs.json: {name} does not say where it was measured")

    def value(entry):
        unit = units[entry["unit"]]
        return [(at * 1e-3, cost * unit) for at, cost in entry["points"]] if "points" in entry else entry["value"] * unit

    return types.SimpleNamespace(**{name: value(entry) for name, entry in entries.items()})


def wake(points):
    """What a sleep of some seconds adds to the next piece of work: straight lines between the points, from nothing to the last."""
    ats, costs = [0, *(at for at, _ in points)], [0, *(cost for _, cost in points)]

    def cost(gap):
        if gap >= ats[-1]:
            return costs[-1]
        index = bisect.bisect_right(ats, gap)
        return costs[index - 1] + (costs[index] - costs[index - 1]) * (gap - ats[index - 1]) / (ats[index] - ats[index - 1])

    return cost
