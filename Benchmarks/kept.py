"""Finished pictures over HTTP beside nginx, which has them as files: requests a second over kept connections, and the CPU time of each process.

    kept.py MEMORY PID FOLDER PID DIRECTORY SECONDS

MEMORY and FOLDER are the addresses of two coordinators, each with the id of its process. The first has the pictures in memory, the second in its folder of
results only. nginx has them in the page cache, as the second one has. All answer from one process.
ROUNDS, SIZES (KB), CONNECTIONS and PLACES (memory, folder) in the environment change what is measured.
"""

import os
import statistics
import sys
import urllib.request

from nginx import Nginx
from processes import children
from wrk import NGINX, measure

COORDINATORS = {"memory": (sys.argv[1], int(sys.argv[2])), "folder": (sys.argv[3], int(sys.argv[4]))}
FOLDER, SECONDS = sys.argv[5], sys.argv[6]
SIZES = [int(size) for size in os.environ.get("SIZES", "8 118 270").split()]
CONNECTIONS = [int(count) for count in os.environ.get("CONNECTIONS", "1 16 64").split()]
ROUNDS = int(os.environ.get("ROUNDS", "3"))
PLACES = os.environ.get("PLACES", "memory folder").split()


def tag(address, path):
    """The entity tag of a server for a file."""
    with urllib.request.urlopen(f"http://{address}{path}") as answer:
        return answer.headers["ETag"]


def row(title, servers, path, connections, headers):
    """One line of the table: the medians of some rounds, in which the servers take turns. `headers` makes those of a request from an address."""
    rounds = [[measure(server, path, connections, SECONDS, headers(server[0])) for server in servers] for _ in range(ROUNDS)]
    (ours, our_cpu), (theirs, their_cpu) = [[statistics.median(one[server][part] for one in rounds) for part in (0, 1)] for server in (0, 1)]
    # Both servers of one round have met the same neighbors on the machine.
    ratio = statistics.median(one[0][0] / one[1][0] for one in rounds)
    cost = statistics.median(one[0][1] / one[1][1] for one in rounds)
    print(f"| {title} | {connections} | {ours:.0f} | {theirs:.0f} | {ratio:.2f} | {our_cpu:.1f} | {their_cpu:.1f} | {cost:.2f} |", flush=True)


def main():
    nginx = Nginx(f"{FOLDER}/nginx", f"{NGINX} default_type image/webp;")
    os.makedirs(f"{nginx.folder}/images")
    worker, other = children(nginx.process.pid)[0], nginx.address
    try:
        for size in SIZES:
            body, path = os.urandom(size * 1000), f"/images/bench{size}"
            with open(f"{nginx.folder}{path}", "wb") as file:
                file.write(body)
            for address, _ in COORDINATORS.values():
                urllib.request.urlopen(urllib.request.Request(f"http://{address}{path}", data=body, method="PUT")).close()
        for size in SIZES:
            for address in [*(address for address, _ in COORDINATORS.values()), other]:
                tag(address, f"/images/bench{size}")
        print("| answer | connections | tintype, requests/s | nginx, requests/s | ours ÷ nginx | tintype, µs CPU a request | nginx, µs | CPU, ours ÷ nginx |")
        print("|---|---|---|---|---|---|---|---|")
        for place in PLACES:
            servers = [COORDINATORS[place], (other, worker)]
            for size in SIZES:
                for connections in CONNECTIONS:
                    row(f"{size} KB, {place}", servers, f"/images/bench{size}", connections, lambda _: [])
            path = f"/images/bench{SIZES[-1]}"
            for connections in CONNECTIONS:
                row(f"64 KB of a range, {place}", servers, path, connections, lambda _: ["Range: bytes=1000-66535"])
            for connections in CONNECTIONS:
                row(f"304, {place}", servers, path, connections, lambda address: [f"If-None-Match: {tag(address, path)}"])
    finally:
        nginx.stop()


main()
