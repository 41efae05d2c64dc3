"""The package as users get it: a wheel in a fresh environment, types, and the examples."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import service as services

import tintype
from tintype import _generated

ROOT = Path(__file__).resolve().parents[1]


def has(module: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(module) is not None


def run(*words: str | Path, **environment: str) -> str:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout


class PackageTests(unittest.TestCase):
    def test_everything_generated_is_exported(self) -> None:
        self.assertLessEqual({*_generated.__all__}, {*tintype.__all__})
        for name in tintype.__all__:
            self.assertTrue(hasattr(tintype, name), name)

    @unittest.skipUnless(has("mypy"), "no mypy here")
    def test_the_types_are_strict(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, ROOT / "src", MYPYPATH=str(ROOT / "src"))

    @unittest.skipUnless(has("mypy"), "no mypy here")
    def test_a_wheel_works_in_a_fresh_environment(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            # The build writes beside the sources, so these are a copy.
            source = Path(folder) / "source"
            run("cp", "-r", ROOT, source)
            run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder, source)
            (wheel,) = Path(folder).glob("*.whl")
            names = {name.partition("/")[2] for name in zipfile.ZipFile(wheel).namelist()}
            self.assertLessEqual({"py.typed", "_generated.py", "blocking.py", "METADATA"}, names)
            self.assertFalse([name for name in names if "test" in name or name.endswith(".pyc")])
            fresh = Path(folder) / "fresh"
            run(sys.executable, "-m", "venv", "--without-pip", fresh)
            python = fresh / "bin/python"
            run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", wheel)
            with services.service() as service:
                program = (
                    "from tintype import Output, Resize, blocking\n"
                    f"with blocking.Tintype('{service.address()}') as client:\n"
                    f"    print(client.load('{service.url('/picture.png')}', Resize(10), output=Output('png')).read()[1:4])\n")
                self.assertEqual(run(python, "-I", "-c", program), "b'PNG'\n")
            # The types of the installed package are found, and wrong ones are refused.
            (Path(folder) / "good.py").write_text("from tintype import Resize\nside: int | None = Resize(3, fit='cover').width\n")
            (Path(folder) / "bad.py").write_text("from tintype import Resize\nResize(3, fit='covr')\n")
            check: list[str | Path] = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", f"{folder}/cache", "--python-executable", python]
            run(*check, Path(folder) / "good.py")
            with self.assertRaisesRegex(AssertionError, "covr"):
                run(*check, Path(folder) / "bad.py")


class ExampleTests(unittest.TestCase):
    @unittest.skipUnless(has("PIL"), "no Pillow here")
    def test_the_example_for_pillow(self) -> None:
        with services.service() as service, tempfile.TemporaryDirectory() as folder:
            out = run(
                sys.executable, ROOT / "examples/pillow.py", service.url("/picture.png"), f"{folder}/out.png", service.address(),
                PYTHONPATH=str(ROOT / "src"))
            self.assertEqual(out, "(480, 360)\n")
            self.assertEqual(Path(folder, "out.png").read_bytes()[:4], b"\x89PNG")

    @unittest.skipUnless(has("django"), "no Django here")
    def test_the_example_for_django(self) -> None:
        # Django's settings are made once a process, so the project runs in one of its own.
        program = """
import html, re
import shop
import django
django.setup()
from django.test import Client
client = Client()
page = client.get("/").content.decode()
image = html.unescape(re.search('src="([^"]*)"', page)[1])
answer = client.get(image, headers={"Accept": "image/webp"})
print(answer.status_code, answer["Content-Type"], answer.content[:4], client.get("/picture/forged").status_code, page.count("<img"))
shop.client().close()
"""
        with services.service() as service:
            out = run(
                sys.executable, "-c", program, PYTHONPATH=f"{ROOT / 'src'}:{ROOT / 'examples/django_shop'}", TINTYPE=service.address(),
                PHOTOS=f"{service.url('/picture.png')},{service.url('/picture.png?other')}")
        self.assertEqual(out, "200 image/webp b'RIFF' 404 2\n")


if __name__ == "__main__":
    unittest.main()
