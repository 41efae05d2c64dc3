"""Passes the tables of a benchmark through, and compares their ratios with the kept ones.

    scripts/bench WHAT | record.py WHAT [--keep]

Ratios hardly depend on the machine, unlike times. A ratio that is 5 % worse than the kept one is named at the end. With --keep the ratios of this run
become the kept ones. The file is `ratios.json`, beside this program: benchmark → row → column → ratio.
"""

import json
import os
import re
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ratios.json")
LOSS = 0.05


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def is_better_lower(column):
    return bool(re.search(r"CPU|MiB|latency|\bms\b", column))


def ratios(lines):
    """Row → column → number, for each column whose title is a ratio. The column's name begins with the title of the rows."""
    found, titles = {}, []
    for line in lines:
        if not line.startswith("|"):
            titles = []
        elif not titles:
            titles = cells(line)
        elif not re.match(r"\|[-: |]+\|$", line.strip()):
            row = cells(line)
            for title, text in zip(titles[1:], row[1:]):
                if ("÷" in title or title == "ratio") and re.fullmatch(r"[\d.]+", text):
                    # Numbers of connections and the like stand in columns of their own.
                    key = ", ".join([row[0], *[each for name, each in zip(titles[1:], row[1:]) if name in ("connections", "in flight")]])
                    found.setdefault(key, {})[f"{titles[0]}: {title}"] = float(text)
    return found


def main():
    what, keeps = sys.argv[1], "--keep" in sys.argv[2:]
    lines = []
    for line in sys.stdin:
        print(line, end="", flush=True)
        lines.append(line)
    all_ = json.load(open(FILE)) if os.path.exists(FILE) else {}
    kept, found = all_.get(what, {}), ratios(lines)
    worse = []
    for row, columns in found.items():
        for column, ratio in columns.items():
            before = kept.get(row, {}).get(column)
            if before and ratio and (before / ratio if not is_better_lower(column) else ratio / before) > 1 + LOSS:
                worse.append(f"| {row} | {column} | {before} | {ratio} |")
    if worse:
        print("\nWorse than the kept ratios by more than 5 %:\n\n| row | ratio | kept | now |\n|---|---|---|---|")
        print("\n".join(worse))
    elif found and kept:
        print("\nNo ratio is worse than the kept one by more than 5 %.")
    if keeps and found:
        all_[what] = {**kept, **found}
        with open(FILE, "w") as file:
            json.dump(all_, file, indent=1, ensure_ascii=False, sort_keys=True)
            file.write("\n")


main()
