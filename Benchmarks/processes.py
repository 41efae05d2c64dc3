"""What processes cost: CPU time and memory, as the kernel counts them."""

import os

TICKS = os.sysconf("SC_CLK_TCK")


def cpu(*pids):
    """CPU seconds of processes, with those of their children that have ended."""
    spent = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            spent += sum(map(int, file.read().rsplit(")", 1)[1].split()[11:15]))
    return spent / TICKS


def children(pid):
    """The children of all threads of a process."""
    return [int(child) for thread in os.listdir(f"/proc/{pid}/task") for child in open(f"/proc/{pid}/task/{thread}/children").read().split()]


def memory(*pids):
    """MiB of processes, where pages that several share count once."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            total += next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return total / 1024
