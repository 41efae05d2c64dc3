#!/usr/bin/env python3
"""Counts what the project may weigh, and prints each number that is above its ceiling. `--all` prints every number.

A ceiling only goes down: after a change that makes a number smaller, lower its ceiling here. What comes in is paid for by what goes.
Lines include comments and empty lines. Files that git does not know do not count.
"""

import os
import subprocess
import sys

os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/..")

# No server links these: the command line with its features, and the documents.
TOOLS = [f"Sources/{folder}/" for folder in ("tintype", "Console", "Documents", "Features/Doctor", "Features/Top", "Features/Up")]
# Each room: its folders, the folders in them that do not count, the ceiling today, and the goal.
ROOMS = {
    "Sources": (["Sources"], [], 95_800, 80_000),
    "linked by servers": (["Sources"], TOOLS, 86_510, 72_000),
    "clients": (["clients"], [], 31_000, 31_000),
    # Its pages of evidence are no code.
    "Tests": (["Tests"], ["Tests/evidence/"], 75_740, 66_189),
}
# Swift files of Sources: how many may have fewer than 20 lines, and how long the middle one is at least.
SHORT, MEDIAN = (15, 18), (78, 80)
WORDS = (108_200, 90_000)


def lines(names):
    total = 0
    for name in names:
        with open(name, "rb") as file:
            total += file.read().count(b"\n")
    return total


def tracked(*folders):
    listed = subprocess.run(["git", "ls-files", "-z", *folders], stdout=subprocess.PIPE, check=True).stdout.decode()
    deleted = subprocess.run(["git", "ls-files", "-z", "--deleted", *folders], stdout=subprocess.PIPE, check=True).stdout.decode()
    return [name for name in listed.split("\0") if name and name not in deleted.split("\0")]


rows = []
for room, (folders, out, ceiling, goal) in ROOMS.items():
    rows.append((f"lines of {room}", lines(name for name in tracked(*folders) if not name.startswith(tuple(out) or "\0")), ceiling, goal))
sizes = [lines([name]) for name in tracked("Sources") if name.endswith(".swift")]
rows.append(("Swift files of Sources under 20 lines", sum(size < 20 for size in sizes), *SHORT))
words = sum(len(open(name, encoding="utf-8").read().split()) for name in tracked("docs") if name.endswith(".md"))
rows.append(("words of docs", words, *WORDS))
middle = sorted(sizes)[len(sizes) // 2]
for name, count, ceiling, goal in rows:
    if count > ceiling or "--all" in sys.argv:
        print(f"{name}: {count:,}, at most {ceiling:,} (the goal: {goal:,})")
if middle < MEDIAN[0] or "--all" in sys.argv:
    print(f"middle Swift file of Sources: {middle} lines, at least {MEDIAN[0]} (the goal: {MEDIAN[1]})")
