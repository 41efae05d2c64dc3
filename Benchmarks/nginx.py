"""nginx with one worker, which serves a folder on a port of the kernel's choice."""

import os
import socket
import subprocess

from deployment import until
from processes import children


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


class Nginx:
    """A server of the files in `folder`, which it makes."""

    def __init__(self, folder, settings=""):
        """`settings` are further lines of the block `http`."""
        os.makedirs(folder)
        self.folder, self.port = folder, free_port()
        self.address = f"127.0.0.1:{self.port}"
        # Started by root, nginx would give its worker to a user who may not read the folder.
        user = "user root;" if os.geteuid() == 0 else ""
        with open(f"{folder}/conf", "w") as file:
            file.write(f"""
                {user} daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
                events {{ worker_connections 2048; }}
                http {{
                    access_log off; sendfile on; keepalive_requests 1000000000; {settings}
                    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};
                    server {{ listen {self.address}; root {folder}; }}
                }}""")
        self.process = subprocess.Popen(["nginx", "-e", f"{folder}/error.log", "-c", f"{folder}/conf"])
        until(self.is_ready)

    def is_ready(self):
        if self.process.poll() is not None:
            raise SystemExit("bench: nginx does not start: " + open(f"{self.folder}/error.log").read())
        # The master listens before it starts its worker.
        return bool(children(self.process.pid)) and answers(self.port)

    def stop(self):
        self.process.terminate()
        self.process.wait()
