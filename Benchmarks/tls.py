"""What TLS costs a coordinator: handshakes, and connections that rest.

    tls.py BIN FOLDER REDIS COUNT

COUNT handshakes for each kind of key, one after the other over loopback, and the CPU time of the coordinator for one. Then 1,000 connections that rest on
the port of JSON-RPC, and the memory that the coordinator has for each. The certificates are made by openssl below FOLDER.
"""

import resource
import socket
import ssl
import subprocess
import sys

from processes import cpu, memory

BIN, FOLDER, REDIS, COUNT = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
RESTING = 1000
KEYS = {"P-256": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "RSA 2048": ["rsa:2048"]}


def certificate(name, kind):
    """A certificate that vouches for itself, and its key."""
    paths = f"{FOLDER}/{name}.pem", f"{FOLDER}/{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1", "-newkey", *kind,
         "-out", paths[0], "-keyout", paths[1]], check=True, stderr=subprocess.DEVNULL)
    return paths


class Coordinator:
    def __init__(self, *options):
        words = [f"{BIN}/tintype-coordinator", "--redis", REDIS, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--log-level", "error",
                 "--max-connections", "5000", "--max-connections-per-address", "5000", *options]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        ready = dict(word.split("=", 1) for word in self.process.stdout.readline().split()[1:])
        host, port = ready["rpc"].rsplit(":", 1)
        self.address, self.pid = (host, int(port)), self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def connect(coordinator, context):
    """A connection that has had one answer, so that both sides are done with its beginning."""
    plain = socket.create_connection(coordinator.address)
    connection = context.wrap_socket(plain, server_hostname="127.0.0.1") if context else plain
    connection.sendall(b'{"jsonrpc":"2.0","id":1,"method":"system.ping"}\n')
    connection.recv(4096)
    return connection


def times(coordinator, context):
    """CPU seconds of the coordinator for a connection with one request."""
    for _ in range(50):
        connect(coordinator, context).close()
    begun = cpu(coordinator.pid)
    for _ in range(COUNT):
        connect(coordinator, context).close()
    return (cpu(coordinator.pid) - begun) / COUNT


def resting(coordinator, context):
    """KiB of the coordinator for a connection that rests."""
    first = [connect(coordinator, context) for _ in range(50)]
    begun = memory(coordinator.pid)
    kept = [connect(coordinator, context) for _ in range(RESTING)]
    each = (memory(coordinator.pid) - begun) * 1024 / RESTING
    for connection in first + kept:
        connection.close()
    return each


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    print("| JSON-RPC | CPU of a connection with one request, ms | handshakes/s of one core | KiB a resting connection |")
    print("|---|---|---|---|")
    with Coordinator() as coordinator:
        bare = times(coordinator, None)
    with Coordinator() as coordinator:
        print(f"| without TLS | {bare * 1000:.3f} | | {resting(coordinator, None):.1f} |")
    for name, kind in KEYS.items():
        certificates = certificate(name.replace(" ", ""), kind)
        context = ssl.create_default_context(cafile=certificates[0])
        options = ["--tls-cert", certificates[0], "--tls-key", certificates[1]]
        with Coordinator(*options) as coordinator:
            secure = times(coordinator, context)
        with Coordinator(*options) as coordinator:
            print(f"| TLS 1.3, {name} | {secure * 1000:.3f} | {1 / max(secure - bare, 1e-9):.0f} | {resting(coordinator, context):.1f} |")


main()
