"""README.md runs as it stands, and its types are right."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import importlib.util
import inspect
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import service as services
from service import Process, Service
from secure import certificates

HERE = Path(__file__).resolve().parent
README = HERE.parent / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def blocks() -> list[tuple[str, str]]:
    """The programs of the page, each with its output."""
    found = BLOCK.findall(README.read_text())
    pairs = []
    for (language, text), (next_language, next_text) in zip(found, found[1:] + [("", "")]):
        if language == "python":
            pairs.append((text, next_text if next_language == "text" else ""))
    return pairs


def local(text: str, service: Service) -> str:
    for address, path in {"photo": "/picture.png?readme", "missing": "/status/404", "slow": "/hang"}.items():
        text = text.replace(f"https://example.org/{address}.jpg", service.url(path))
    # A busy machine has more time than the page gives.
    text = text.replace("deadline=10,", "deadline=500,").replace("Timeouts(total=20)", "Timeouts(total=100)")
    return text.replace("tcp://127.0.0.1:7411", service.address())


class ReadmeTests(unittest.TestCase):
    def test_every_block_prints_what_the_page_shows(self) -> None:
        with services.service() as service, tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), asyncio.Runner() as runner:
            certificates(Path(folder))
            space: dict[str, object] = {}
            loop = runner.get_loop()
            for text, expected in blocks():
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    if "asyncio.run(" in text or "blocking" in text:
                        # A whole program, which has a loop of its own.
                        program = local(text, service)
                        loop.run_until_complete(asyncio.to_thread(exec, program, {"__name__": "program"}))
                    else:
                        code = compile(local(text, service), "README.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                        result = eval(code, space)
                        if inspect.iscoroutine(result):
                            loop.run_until_complete(result)
                shown = re.sub(r"(example\.org)/[\w-]{43}/", r"\1/SIGNATURE/", output.getvalue())
                shown = shown.replace(services_text(service), "aHR0cHM6Ly9leGFtcGxlLm9yZy9waG90by5qcGc")
                if expected:
                    self.assertEqual(shown, expected, text)
            client = space["tintype"]
            assert hasattr(client, "aclose")
            loop.run_until_complete(client.aclose())

    def test_the_quick_start_works_against_tintype_up(self) -> None:
        program, output = blocks()[0]
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            log = Path(folder) / "log"
            origin = Process(str(services.programs() / "origin"), log=log)
            up = Process(
                str(services.programs() / "tintype"), "up", "--data", f"{folder}/data", "--workers", "1", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
                "--allow-addresses", "127.0.0.0/8", log=log)
            try:
                program = program.replace("127.0.0.1:7411", up.words["rpc"])
                program = program.replace("https://example.org/photo.jpg", f"http://{origin.words['http']}/picture.png")
                shown = io.StringIO()
                with contextlib.redirect_stdout(shown):
                    exec(program, {"__name__": "program"})
                self.assertEqual(shown.getvalue(), output)
                self.assertEqual(Path("photo.webp").read_bytes()[8:12], b"WEBP")
            finally:
                # It stops its own children.
                up.signal(signal.SIGTERM)
                up.child.wait(60)
                up.kill()
                origin.kill()

    def test_the_page_has_the_parts_that_a_reader_looks_for(self) -> None:
        self.assertGreaterEqual(len(blocks()), 14)
        quick = blocks()[0][0].strip().split("\n")
        self.assertLessEqual(len([line for line in quick if line]), 10)

    def test_every_kind_of_block_has_a_test(self) -> None:
        self.assertEqual({language for language, _ in BLOCK.findall(README.read_text())}, {"python", "sh", "text"})

    @unittest.skipUnless(importlib.util.find_spec("setuptools"), "no setuptools here, which builds a wheel")
    def test_the_lines_of_the_shell_install_the_package(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            # The build writes beside the sources, so these are a copy.
            shutil.copytree(HERE.parent, f"{folder}/clients/python")
            python = Path(folder) / "fresh/bin/python"
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", python.parents[1]], check=True)
            pip = Path(folder) / "bin/pip"
            pip.parent.mkdir()
            pip.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pip --quiet --python "{python}" "$@"\n')
            pip.chmod(0o755)
            # Packages of the environment of scripts/setup build the wheel, and nothing is fetched.
            settings = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1"}
            packages = str(Path(importlib.util.find_spec("setuptools").origin or "").parents[1])  # type: ignore[union-attr]
            environment = {**os.environ, **settings, "PYTHONPATH": packages, "PATH": f"{pip.parent}:{os.environ['PATH']}"}
            script = "\n".join(text for language, text in BLOCK.findall(README.read_text()) if language == "sh")
            done = subprocess.run(["bash", "-ec", script], cwd=folder, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            found = subprocess.run([python, "-I", "-c", "import tintype; print(tintype.__file__)"], capture_output=True, text=True, check=True).stdout
            self.assertIn(str(python.parents[1].resolve()), found)

    @unittest.skipUnless(os.environ.get("TINTYPE_MYPY"), "TINTYPE_MYPY names no Python with mypy")
    def test_the_types_of_every_block_are_right(self) -> None:
        first, *others = [text for text, _ in blocks()[1:] if "blocking" not in text]
        imports, _, rest = first.partition("\n\n")
        body = textwrap.indent("\n".join([rest, *others]), "    ")
        self.check_types({"page": f"{imports}\n\n\nasync def page() -> None:\n{body}"})

    @unittest.skipUnless(os.environ.get("TINTYPE_MYPY"), "TINTYPE_MYPY names no Python with mypy")
    def test_the_types_of_the_cookbook_are_right(self) -> None:
        found = BLOCK.findall((HERE.parents[2] / "docs/cookbook.md").read_text())
        programs = [text for language, text in found if language == "python"]
        self.assertEqual(len(programs), 5)
        self.check_types({f"program{number}": text for number, text in enumerate(programs)})

    def check_types(self, modules: dict[str, str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in modules.items():
                (Path(folder) / f"{name}.py").write_text(text)
            done = subprocess.run(
                [os.environ["TINTYPE_MYPY"], "-m", "mypy", "--strict", "--cache-dir", f"{folder}/cache", *(f"{folder}/{name}.py" for name in modules)],
                capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(HERE.parent / "src")})
            self.assertEqual(done.returncode, 0, done.stdout)


def services_text(service: Service) -> str:
    import base64

    return base64.urlsafe_b64encode(service.url("/picture.png?readme").encode()).decode().rstrip("=")


if __name__ == "__main__":
    unittest.main()
