"""A network that can be cut: each server is met only at its gate, and a gate knows which process comes.

A cut is what it is on a wire. No byte and no end of a connection passes, neither side hears of it, and what was sent passes when the cut ends.
One thing differs: a new connection is accepted at once, and then nothing answers. Nothing here needs root, unlike namespaces and firewalls.
"""

import os
import socket
import socketserver
import threading


class Gate(socketserver.ThreadingTCPServer):
    """The way to one server. `process` is that server, once it has started."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, network, port):
        super().__init__(("127.0.0.1", 0), None)
        self.network, self.target, self.process = network, port, None
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, near, address):
        source = self.network.process(address[1], self.port)
        self.network.until_open(source, self.process)
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:  # no server is there: the connection is closed
            return
        for end in near, far:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self.forward, args=(far, near, source), daemon=True).start()
        self.forward(near, far, source)

    def forward(self, here, there, source):
        try:
            is_open = True
            while is_open:
                data = here.recv(65536)
                self.network.until_open(source, self.process)
                there.sendall(data)
                is_open = bool(data)
        except OSError:  # the other side has gone first
            pass
        for end in here, there:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Network:
    """The gates, and who is on which side of a cut. `children` are the processes that are told apart; nobody else is ever cut off."""

    def __init__(self, children):
        self.children, self.sides, self.changed = children, {}, threading.Condition()

    def gate(self, port):
        return Gate(self, port)

    def split(self, *sides):
        """Processes on different sides do not reach each other from now on. Those on no side reach everybody."""
        with self.changed:
            self.sides = {process: number for number, side in enumerate(sides) for process in side}

    def heal(self):
        self.split()
        with self.changed:
            self.changed.notify_all()

    def until_open(self, one, other):
        with self.changed:
            self.changed.wait_for(lambda: one not in self.sides or other not in self.sides or self.sides[one] == self.sides[other])

    def process(self, port, gate):
        """The child that has connected from a port to that of a gate."""
        for line in open("/proc/net/tcp"):
            words = line.split()
            if words[1].endswith(f":{port:04X}") and words[2].endswith(f":{gate:04X}"):
                return next((child for child in list(self.children) if f"socket:[{words[9]}]" in self.descriptors(child)), None)

    def descriptors(self, child):
        folder = f"/proc/{child.pid}/fd"
        try:
            return {os.readlink(f"{folder}/{name}") for name in os.listdir(folder)}
        except OSError:  # it has ended, or has closed one meanwhile
            return set()
