"""thumbor with Pillow and a process for each core, which stores nothing."""

import os
import signal
import subprocess
import urllib.parse

from deployment import until
from nginx import answers, free_port
from processes import children

CORES = len(os.sched_getaffinity(0))


class Thumbor:
    """A server at `port`."""

    def __init__(self, python, folder):
        """`python` is the interpreter of the environment that has thumbor."""
        self.port = free_port()
        settings = f"{folder}/thumbor.conf"
        with open(settings, "w") as file:
            file.write("QUALITY = 80\nWEBP_QUALITY = 80\nSTORAGE = 'thumbor.storages.no_storage'\nHTTP_LOADER_VALIDATE_CERTS = False\n")
        command = [f"{os.path.dirname(python)}/thumbor", "--port", str(self.port), "--ip", "127.0.0.1", "--conf", settings]
        self.process = subprocess.Popen(
            [*command, "--processes", str(CORES), "-l", "error"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        until(self.is_ready)

    def is_ready(self):
        if self.process.poll() is not None:
            raise SystemExit("bench: thumbor does not start")
        return answers(self.port)

    def pids(self):
        return [self.process.pid, *children(self.process.pid)]

    @staticmethod
    def path(url, size, format_):
        """The path of a source made as large as `size`; 0 leaves a side to its shape."""
        return f"/unsafe/{size[0]}x{size[1]}/filters:format({format_}):quality(80)/{urllib.parse.quote(url, safe='')}"

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
