"""How long Tintype takes to be back in work after a fault: real processes that are killed, stopped and cut off.

    faults.py BIN FOLDER COUNT [WORD…]

Each fault is done COUNT times, each time to a deployment of its own below FOLDER, and the table has the longest time. With words, only the rows that
have one of them. What is waited for is an event at the client, or what the origin or Redis say, never a time; only what is said to last so long does.
Times are not judged, and what does not come within a minute is said to be missing. But each row ends with `system.validate`, and a rule that does
not hold, a request that ends twice or badly, and what is missing are told in the row, and by the exit status.
"""

import os
import signal
import sys
import tempfile
import traceback

from deployment import PATIENCE, Deployment

from outages import clusters, partitions, services, switches, upgrades  # noqa: F401 - they fill the table
from outages.table import ROWS, Remarks, spoken

BIN, FOLDER, COUNT, WORDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]


def run(measure, deployment, more):
    """The seconds, none if the row has failed; the notes; and whether all was well."""
    d = Deployment(BIN, tempfile.mkdtemp(dir=FOLDER))
    try:
        d.start_all(**deployment)
        seconds, notes = measure(d, *more)
        signal.alarm(0)
        broken = d.violations()
        return seconds, [*notes, *[f"BROKEN: {each}" for each in broken]], not broken
    except TimeoutError:
        traceback.print_exc()
        return 0, [f"missing after {PATIENCE} s"], False
    except (AssertionError, KeyError, OSError, RuntimeError) as failure:
        traceback.print_exc()
        return 0, [f"WRONG: {failure}"], False
    finally:
        signal.alarm(0)
        d.stop()


def too_late(*_):
    raise TimeoutError


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    signal.signal(signal.SIGALRM, too_late)
    os.mkdir(FOLDER)
    print(f"| fault → until | the longest of {COUNT} | within |\n|---|---|---|", flush=True)
    is_well = True
    for measure, title, within, deployment, *more in ROWS:
        if WORDS and not any(word in title for word in WORDS):
            continue
        longest, remarks = 0, Remarks()
        for _ in range(COUNT):
            seconds, notes, was_well = run(measure, deployment, more)
            longest, is_well = max(longest, seconds), is_well and was_well
            remarks.add(notes)
        figure = [spoken(longest)] if longest else []
        print(f"| {title} | {'; '.join(figure + remarks.all())} | {within} |", flush=True)
    sys.exit(not is_well)


main()
