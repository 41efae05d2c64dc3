"""Certificates by openssl, and the tokens of a service that asks for them."""

from __future__ import annotations

import subprocess
from pathlib import Path


def certificates(folder: Path) -> None:
    """An authority, and two certificates by it: of 127.0.0.1, and of a client."""

    def openssl(words: str) -> None:
        subprocess.run(["openssl", *words.split()], cwd=folder, check=True, capture_output=True)

    key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    openssl(f"req -x509 {key} -days 2 -subj /CN=Test -keyout ca.key -out ca.pem")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    for name in ("server", "client"):
        openssl(f"req {key} -subj /CN={name} -keyout {name}.key -out {name}.csr")
        openssl(f"x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out {name}.pem")


def words(folder: Path, asks_clients: bool = False) -> list[str]:
    """The options of a coordinator with TLS and tokens, and whether it wants a certificate of its clients."""
    certificates(folder)
    (folder / "tokens").write_text("operator-token role=admin\nreader-token role=load\n")
    options = ["--tls-cert", "server.pem", "--tls-key", "server.key", "--token-file", "tokens", *(["--tls-client-ca", "ca.pem"] if asks_clients else [])]
    return [one if one.startswith("--") else str(folder / one) for one in options]
