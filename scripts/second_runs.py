#!/usr/bin/env python3
"""The ledger of second runs: suites that failed in scripts/test beside other tests, and ran again alone.

  scripts/second_runs.py add passed|failed SUITE…   one line for each suite: the time, the suite, its second outcome, the commit
  scripts/second_runs.py                            those that passed alone in the last seven days; exits 1 above ten

A busy machine explains a few of them, and more than ten a week are a mistake of a test or of the code.
The ledger outlives the build: $TINTYPE_LEDGER, or tintype/second-runs.tsv in the user's cache folder.
"""

import os
import subprocess
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path

MOST, SPAN = 10, timedelta(days=7)


def place(environment):
    named = environment.get("TINTYPE_LEDGER")
    return Path(named) if named else Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tintype/second-runs.tsv"


def flaky(text, now):
    """How often each suite passed alone. A line that is none, as from a full disk, does not count."""
    rows = [line.split("\t") for line in text.splitlines()]
    rows = [row for row in rows if len(row) == 4 and row[2] == "passed"]
    return Counter(suite for time, suite, _, _ in rows if now - SPAN <= moment(time) <= now)


def moment(text):
    """The time of a line; one long ago for a torn line."""
    try:
        return datetime.fromisoformat(text).astimezone(timezone.utc)
    except ValueError:
        return datetime.fromtimestamp(0, timezone.utc)


def main(arguments, now):
    ledger = place(os.environ)
    if arguments[:1] == ["add"]:
        git = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
        ledger.parent.mkdir(parents=True, exist_ok=True)
        with ledger.open("a") as file:
            file.writelines("\t".join([now.isoformat(timespec="seconds"), suite, arguments[1], git.stdout.strip() or "-"]) + "\n" for suite in arguments[2:])
        return 0
    counts = flaky(ledger.read_text(), now) if ledger.exists() else Counter()
    if counts:
        print(f"failed beside other tests and passed alone, in seven days: {counts.total()}, at most {MOST} ({ledger})")
        for suite, count in counts.most_common():
            print(f"  {count} × {suite}")
    return int(counts.total() > MOST)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], datetime.now(timezone.utc)))
    except (OSError, RuntimeError) as error:
        # A machine without a home, or with a full disk, says nothing about the tests.
        print(f"scripts/second_runs.py: there is no ledger: {error}")
