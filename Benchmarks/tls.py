"""What TLS costs a coordinator: handshakes, and connections that rest.

    tls.py BIN FOLDER REDIS COUNT ROUNDS

There is a coordinator without TLS, and one for each kind of key. 1,000 connections rest on the port of JSON-RPC of each, and the memory of the
coordinator grows by so much for each. While they rest, there are further connections with one request, COUNT of them one after the other: the CPU time
of the coordinator for one tells that of its handshake. Then `openssl s_time` makes as many handshakes as it can, from a process for each core: they
take their CPU time from the same cores. The coordinators take turns. The certificates are made by openssl below FOLDER.
RESTING and SECONDS_EACH in the environment change what is measured.
"""

import os
import re
import resource
import socket
import ssl
import statistics
import subprocess
import sys
import time

from processes import cpu, memory

BIN, FOLDER, REDIS, COUNT, ROUNDS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
RESTING = int(os.environ.get("RESTING", "1000"))
SECONDS = os.environ.get("SECONDS_EACH", "5")
CORES = len(os.sched_getaffinity(0))
KEYS = {"P-256": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "RSA 2048": ["rsa:2048"]}


def certificate(name, kind):
    """A certificate that vouches for itself, and its key."""
    paths = f"{FOLDER}/{name}.pem", f"{FOLDER}/{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1", "-newkey", *kind,
         "-out", paths[0], "-keyout", paths[1]], check=True, stderr=subprocess.DEVNULL)
    return paths


class Coordinator:
    """A coordinator with clients that rest. `kind` is that of its key; None: it speaks no TLS."""

    def __init__(self, kind=None):
        self.title, self.context, options = "without TLS", None, []
        if kind:
            files = certificate(kind.replace(" ", ""), KEYS[kind])
            self.title, self.context = f"TLS 1.3, {kind}", ssl.create_default_context(cafile=files[0])
            options = ["--tls-cert", files[0], "--tls-key", files[1]]
        words = [f"{BIN}/tintype-coordinator", "--redis", REDIS, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--log-level", "error",
                 "--max-connections", "5000", "--max-connections-per-address", "5000", *options]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        ready = dict(word.split("=", 1) for word in self.process.stdout.readline().split()[1:])
        if not ready:
            sys.exit("bench: the coordinator does not start")
        host, port = ready["rpc"].rsplit(":", 1)
        self.address, self.pid, self.resting = (host, int(port)), self.process.pid, []

    def connect(self):
        """A connection that has had one answer, so that both sides are done with its beginning."""
        plain = socket.create_connection(self.address)
        connection = self.context.wrap_socket(plain, server_hostname="127.0.0.1") if self.context else plain
        connection.sendall(b'{"jsonrpc":"2.0","id":1,"method":"system.ping"}\n')
        if b'"result"' not in connection.recv(4096):
            sys.exit("bench: no answer to system.ping")
        return connection

    def let_rest(self):
        """Opens the connections that rest. KiB of the coordinator for one of them."""
        self.resting = [self.connect() for _ in range(50)]
        begun = memory(self.pid)
        self.resting += [self.connect() for _ in range(RESTING)]
        return (memory(self.pid) - begun) * 1024 / RESTING

    def are_resting(self):
        """Whether no connection has been closed meanwhile."""
        for connection in self.resting:
            connection.setblocking(False)
            try:
                connection.recv(1)
                return False
            except (BlockingIOError, ssl.SSLWantReadError):
                pass
        return True

    def one_after_another(self):
        """CPU milliseconds of the coordinator for a connection with one request."""
        for _ in range(50):
            self.connect().close()
        begun = cpu(self.pid)
        for _ in range(COUNT):
            self.connect().close()
        return (cpu(self.pid) - begun) / COUNT * 1e3

    def flat_out(self):
        """Handshakes a second of clients that do nothing else, and CPU milliseconds of the coordinator for one."""
        command = ["openssl", "s_time", "-connect", "%s:%d" % self.address, "-new", "-time", SECONDS]
        before, begun = cpu(self.pid), time.monotonic()
        clients = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(CORES)]
        texts = [client.communicate()[0] for client in clients]
        # Each says whole seconds only. All end at the same one.
        elapsed, spent = time.monotonic() - begun, cpu(self.pid) - before
        found = [re.search(r"(\d+) connections in \d+ real seconds", text) for text in texts]
        if not all(found):
            sys.exit(f"bench: openssl s_time says: {texts}")
        count = sum(int(each[1]) for each in found)
        return count / elapsed, spent / count * 1e3

    def stop(self):
        self.process.terminate()
        self.process.wait()


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    coordinators = [Coordinator(), *(Coordinator(kind) for kind in KEYS)]
    try:
        rests = [each.let_rest() for each in coordinators]
        rounds = [[(each.one_after_another(), *(each.flat_out() if each.context else ())) for each in coordinators] for _ in range(ROUNDS)]
        if not all(each.are_resting() for each in coordinators):
            sys.exit("bench: a connection that rested was closed")
        print(f"{RESTING} connections rest at each coordinator. {ROUNDS} rounds in turn, medians.\n")
        print("| JSON-RPC | KiB a resting connection | CPU ms a connection with one request | CPU ms of its handshake | least | most "
              "| handshakes/s flat out | least | most | CPU ms a handshake, flat out |")
        print("|---|---|---|---|---|---|---|---|---|---|")

        def spread(values, digits):
            """The median, the least and the most, as cells."""
            return " | ".join(f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values)))

        for place, each in enumerate(coordinators):
            spent = statistics.median(one[place][0] for one in rounds)
            if not each.context:
                print(f"| {each.title} | {rests[place]:.1f} | {spent:.3f} | | | | | | | |")
                continue
            secure = spread([one[place][0] - one[0][0] for one in rounds], 3)
            flat = spread([one[place][1] for one in rounds], 0)
            cost = statistics.median(one[place][2] for one in rounds)
            print(f"| {each.title} | {rests[place]:.1f} | {spent:.3f} | {secure} | {flat} | {cost:.3f} |")
    finally:
        for each in coordinators:
            each.stop()


main()
