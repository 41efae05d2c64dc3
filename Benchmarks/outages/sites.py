"""The Redis of a deployment as several real servers: one with two replicas and three sentinels, or a cluster of three primaries with a replica each."""

import os
import random
import signal
import socket
import subprocess

from deployment import until

from outages.network import Network

# As in deploy/redis.conf and deploy/replica.conf.
SERVER = ["save ''", "appendonly yes", "maxmemory-policy noeviction", "repl-diskless-sync-delay 0", "logfile log"]


def free_port():
    """A port whose cluster bus, 10,000 above it, is free too."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as own, socket.socket() as bus:
            try:
                own.bind(("127.0.0.1", port))
                bus.bind(("127.0.0.1", port + 10000))
                return port
            except OSError:
                pass


class Server:
    """A redis-server or a sentinel. Others know it by `address`, which is its gate if there is a network."""

    def __init__(self, site, name):
        self.deployment, self.folder = site.deployment, f"{site.deployment.folder}/{name}"
        self.port = free_port()
        self.gate = site.network.gate(self.port) if site.network else None
        self.known = self.gate.port if self.gate else self.port
        self.address = f"127.0.0.1:{self.known}"
        self.is_frozen = False

    def start(self, *lines, options=()):
        os.mkdir(self.folder)
        with open(f"{self.folder}/redis.conf", "w") as file:
            file.write("\n".join([f"port {self.port}", "bind 127.0.0.1", f"dir {self.folder}", *lines]) + "\n")
        self.process = self.deployment.spawn("redis-server", f"{self.folder}/redis.conf", *options)
        if self.gate:
            self.gate.process = self.process
        until(lambda: self.ask("PING") == "PONG")

    def ask(self, *words):
        """The answer, which is empty if there is none within five seconds."""
        try:
            return subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True, timeout=5).stdout.strip()
        except subprocess.TimeoutExpired:
            return ""

    def is_up(self):
        return not self.is_frozen and self.process.poll() is None

    def freeze(self):
        self.is_frozen = True
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)
        self.is_frozen = False

    def role(self):
        return self.ask("ROLE").split("\n")[0]

    def replication(self, text):
        return text in self.ask("INFO", "replication")


class SentinelSite:
    """One primary, two replicas and three sentinels, with the times of deploy/sentinel.conf."""

    def __init__(self, deployment, network=False):
        self.deployment = deployment
        self.network = Network(deployment.children) if network else None
        self.servers = [Server(self, f"redis{number}") for number in range(3)]
        self.sentinels = [Server(self, f"sentinel{number}") for number in range(3)]
        self.primary = self.servers[0]
        for server in self.servers:
            announced = ["replica-announce-ip 127.0.0.1", f"replica-announce-port {server.known}"]
            follows = [] if server is self.primary else [f"replicaof 127.0.0.1 {self.primary.known}"]
            server.start(*SERVER, *announced, *follows, "min-replicas-to-write 1", "min-replicas-max-lag 2")
        for sentinel in self.sentinels:
            announced = ["sentinel announce-ip 127.0.0.1", f"sentinel announce-port {sentinel.known}"]
            watched = [f"monitor main 127.0.0.1 {self.primary.known} 2", "down-after-milliseconds main 2000", "failover-timeout main 10000"]
            sentinel.start(*announced, *[f"sentinel {line}" for line in watched], "logfile log", options=["--sentinel"])
        until(lambda: self.primary.replication("connected_slaves:2"))
        for sentinel in self.sentinels:
            until(lambda: sentinel.ask("SENTINEL", "CKQUORUM", "main").startswith("OK 3"))
            until(lambda: "num-slaves\n2\n" in sentinel.ask("SENTINEL", "MASTER", "main"))
        self.url = f"sentinel://{','.join(sentinel.address for sentinel in self.sentinels)}/main"

    def replace(self):
        """The planned switch: a sentinel is told to make another server the primary."""
        until(lambda: self.sentinels[0].ask("SENTINEL", "FAILOVER", "main") == "OK")

    def until_replaced(self, sentinels=None):
        """Returns when these sentinels, or all that are up, name another primary than before, and that server is one."""
        before = self.primary

        def is_there():
            asked = [sentinel for sentinel in sentinels or self.sentinels if sentinel.is_up()]
            named = {sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main").replace("\n", ":") for sentinel in asked}
            self.primary = next((server for server in self.servers if {server.address} == named), before)
            return self.primary is not before and self.primary.role() == "master"

        return until(is_there)

    def until_whole(self):
        """Thaws whoever is frozen, and returns when every server that lives follows the primary."""
        for server in self.servers:
            if server.is_frozen:
                server.thaw()
        others = [server for server in self.servers if server is not self.primary and server.is_up()]
        until(lambda: self.primary.replication(f"connected_slaves:{len(others)}"))
        for server in others:
            until(lambda: server.role() == "slave" and server.replication("master_link_status:up"))


class ClusterSite:
    """Three primaries with a replica each, which agree within two seconds that one of them is gone."""

    SILENCE = 2000

    def __init__(self, deployment):
        self.deployment, self.network = deployment, None
        self.servers = [Server(self, f"redis{number}") for number in range(6)]
        for server in self.servers:
            server.start(*SERVER, "cluster-enabled yes", f"cluster-node-timeout {self.SILENCE}")
        addresses = [server.address for server in self.servers]
        command = ["redis-cli", "--cluster", "create", *addresses, "--cluster-replicas", "1", "--cluster-yes"]
        subprocess.run(command, check=True, capture_output=True)
        for server in self.servers:
            until(lambda: "cluster_state:ok" in server.ask("CLUSTER", "INFO"))
            until(lambda: server.role() == "master" or server.replication("master_link_status:up"))
        self.url = f"cluster://{','.join(addresses[:3])}"
        self.choose("default")

    def choose(self, queue):
        """From now on `primary` is the server of this queue."""
        self.slot = self.servers[0].ask("CLUSTER", "KEYSLOT", f"{{{queue}}}")
        self.primary = self.owner()

    def primaries(self):
        return [server for server in self.servers if server.is_up() and server.role() == "master"]

    def owner(self):
        """The server that has the slot of the queue, as it says itself."""
        for server in self.primaries():
            ranges = [word.split("-") for word in self.words(server)[8:] if not word.startswith("[")]
            if any(int(ends[0]) <= int(self.slot) <= int(ends[-1]) for ends in ranges):
                return server
        return None

    def words(self, server):
        """What a server says of itself: its id, its address, its flags, the id of its primary, and from the ninth on its slots."""
        return next(line.split() for line in server.ask("CLUSTER", "NODES").split("\n") if "myself" in line)

    def replica(self, primary):
        name = self.words(primary)[0]
        return next(server for server in self.servers if server.is_up() and self.words(server)[3] == name)

    def replace(self):
        """The planned switch: the replica of the queue's primary takes its place."""
        self.replica(self.primary).ask("CLUSTER", "FAILOVER")

    def until_replaced(self):
        before = self.primary

        def is_there():
            self.primary = self.owner() or before
            return self.primary is not before

        return until(is_there)

    def until_whole(self):
        for server in self.servers:
            if server.is_frozen:
                server.thaw()

    def begin_move(self, target):
        """From now on the owner of the slot refuses keys that it does not have."""
        into, source = target.ask("CLUSTER", "MYID"), self.primary.ask("CLUSTER", "MYID")
        until(lambda: target.ask("CLUSTER", "SETSLOT", self.slot, "IMPORTING", source) == "OK")
        until(lambda: self.primary.ask("CLUSTER", "SETSLOT", self.slot, "MIGRATING", into) == "OK")

    def keys(self, count):
        return [key for key in self.primary.ask("CLUSTER", "GETKEYSINSLOT", self.slot, str(count)).split("\n") if key]

    def move(self, target, keys):
        self.primary.ask("MIGRATE", "127.0.0.1", str(target.port), "", "0", "5000", "KEYS", *keys)

    def end_move(self, target):
        while keys := self.keys(100):
            self.move(target, keys)
        name = target.ask("CLUSTER", "MYID")
        for server in [target, self.primary, *self.primaries()]:
            server.ask("CLUSTER", "SETSLOT", self.slot, "NODE", name)
        self.primary = target
