"""TLS and tokens, with certificates of openssl."""

from __future__ import annotations

import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

import service as services
from service import Service

from tintype import ErrorName, Output, Resize, Tintype, TintypeError, blocking


def certificates(folder: Path) -> None:
    """An authority, and a certificate of 127.0.0.1 by it."""

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority", "-days", "2")
    openssl("req", *key, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=coordinator")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl(
        "x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "cert.pem", "-days", "2", "-extfile", "names")


class SecureTests(unittest.IsolatedAsyncioTestCase):
    folder: Path
    trust: ssl.SSLContext
    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        certificates(cls.folder)
        (cls.folder / "tokens").write_text("first-secret-token role=admin\nsecond-secret-token role=load name=second\n")
        words = ["--tls-cert", str(cls.folder / "cert.pem"), "--tls-key", str(cls.folder / "key.pem"), "--token-file", str(cls.folder / "tokens")]
        cls.service = cls.enterClassContext(services.service(1, 1, *words))
        cls.trust = ssl.create_default_context(cafile=cls.folder / "ca.pem")

    async def test_everything_over_tls_with_a_token(self) -> None:
        async with Tintype(self.service.address(scheme="tls"), token="first-secret-token", tls=self.trust) as tintype:
            image = await tintype.load(self.service.url("/picture.png?tls"), Resize(20), output=Output("png"))
            self.assertTrue((await image.read()).startswith(b"\x89PNG"))
            upload = await tintype.upload(await image.read())
            self.assertEqual((await tintype.load(upload.url, Resize(10))).width, 10)

    def test_the_same_without_asyncio(self) -> None:
        with blocking.Tintype(self.service.address(scheme="tls"), token="first-secret-token", tls=self.trust) as tintype:
            self.assertTrue(tintype.load(self.service.url("/picture.png?tls"), Resize(20), output=Output("png")).read().startswith(b"\x89PNG"))

    async def refusal(
        self, *addresses: str, token: str | None = "first-secret-token", tls: ssl.SSLContext | None = None, within: float = 60
    ) -> TintypeError:
        with self.assertRaises(TintypeError) as caught:
            async with Tintype(*addresses, token=token, tls=tls, connect_timeout=within, silence=within) as tintype:
                await tintype.load(self.service.url("/picture.png?refused"))
        return caught.exception

    async def test_a_certificate_of_a_stranger_is_refused_at_once(self) -> None:
        error = await self.refusal(self.service.address(scheme="tls"))
        self.assertEqual(error.name, ErrorName.TLS)
        self.assertIn("certificate", str(error))

    async def test_a_wrong_token_is_refused_at_once(self) -> None:
        error = await self.refusal(self.service.address(scheme="tls"), token="never-shown-anywhere", tls=self.trust)
        self.assertEqual(error.name, ErrorName.UNAUTHENTICATED)
        self.assertNotIn("never-shown", str(error))

    async def test_no_token_is_refused(self) -> None:
        self.assertEqual((await self.refusal(self.service.address(scheme="tls"), token=None, tls=self.trust)).name, ErrorName.UNAUTHENTICATED)

    async def test_a_port_without_tls_is_no_way_out(self) -> None:
        self.assertEqual((await self.refusal(self.service.address(), within=1)).name, ErrorName.CONNECT)

    async def test_a_role_that_is_too_low_is_forbidden(self) -> None:
        async with Tintype(self.service.address(scheme="tls"), token="second-secret-token", tls=self.trust) as tintype:
            with self.assertRaises(TintypeError) as caught:
                await tintype.queue().pause()
            self.assertEqual(caught.exception.name, ErrorName.FORBIDDEN)
            with self.assertRaises(TintypeError) as refused:
                await tintype.upload(b"\x89PNG")
            self.assertEqual(refused.exception.name, ErrorName.FORBIDDEN)


if __name__ == "__main__":
    unittest.main()
