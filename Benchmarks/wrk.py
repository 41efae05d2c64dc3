"""wrk against one server over kept connections, and the CPU time that it costs the server."""

import re
import subprocess
import sys

from processes import TICKS, cpu

# For an nginx that is measured. `tcp_nopush` would hold back the last packet of a range for 40 ms.
NGINX = "tcp_nopush off; tcp_nodelay on; open_file_cache max=100 inactive=1h;"


def measure(server, path, connections, seconds, headers=(), script=None):
    """Requests a second, and microseconds of the server's CPU a request. `server` is its address and the id of its process.

    `script` is a file in Lua that says what to ask for, in place of `path`."""
    address, pid = server
    before = cpu(pid)
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", f"http://{address}{path}"]
    for header in headers:
        command += ["-H", header]
    if script:
        command += ["-s", script]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # The kernel counts in ticks, and a server that waits may spend less than one.
    spent = max(cpu(pid) - before, 1 / TICKS)
    if "Non-2xx" in text or "Socket errors" in text:
        sys.exit("bench: " + text)
    requests = int(re.search(r"(\d+) requests in", text)[1])
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), spent / requests * 1e6
