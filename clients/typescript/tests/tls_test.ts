import { deepStrictEqual as same, ok, rejects } from "node:assert";
import { resize, Tintype, TintypeError } from "../tintype.ts";
import { Service, Wire } from "./service.ts";

async function openssl(...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", { args, stderr: "piped" }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** An authority, and a certificate of it for localhost. */
async function certificates(folder: string): Promise<string> {
  await openssl(
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
    "-subj",
    "/CN=Test",
    "-keyout",
    `${folder}/ca.key`,
    "-out",
    `${folder}/ca.pem`,
  );
  await openssl(
    "req",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-subj",
    "/CN=localhost",
    "-keyout",
    `${folder}/server.key`,
    "-out",
    `${folder}/server.csr`,
  );
  await Deno.writeTextFile(`${folder}/names`, "subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n");
  await openssl(
    "x509",
    "-req",
    "-in",
    `${folder}/server.csr`,
    "-CA",
    `${folder}/ca.pem`,
    "-CAkey",
    `${folder}/ca.key`,
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    `${folder}/names`,
    "-out",
    `${folder}/server.pem`,
  );
  return await Deno.readTextFile(`${folder}/ca.pem`);
}

Deno.test({
  name: "TLS and tokens, over both transports",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(context) {
    const folder = await Deno.makeTempDir();
    const ca = await certificates(folder);
    await Deno.writeTextFile(`${folder}/tokens`, "operator-token role=admin\nreader-token role=load\n");
    const secure = ["--tls-cert", `${folder}/server.pem`, "--tls-key", `${folder}/server.key`, "--token-file", `${folder}/tokens`];
    const service = await Service.start({ coordinatorArguments: secure });
    const port = (address: string) => new URL(address).port;
    const tls = `tls://localhost:${port(service.tcp())}`;
    const https = `https://localhost:${port(service.http())}`;
    const authorities = Deno.createHttpClient({ caCerts: [ca] });
    const trusting: typeof fetch = (input, init) => fetch(input, { ...init, client: authorities } as RequestInit);
    const make = (url: string, token?: string | (() => Promise<string>)) =>
      new Tintype(url, { tls: { ca }, fetch: trusting, ...token === undefined ? {} : { token } });
    try {
      for (const url of [tls, https]) {
        await context.step(`${url.split(":")[0]}: an image is loaded, by a token that a function gives`, async () => {
          await using tintype = make(url, () => Promise.resolve("reader-token"));
          const task = tintype.submit(service.picture(), [resize(20)], { progress: true });
          same((await Array.fromAsync(task)).at(-1)!.type, "succeeded");
          same((await (await task).bytes()).length, (await task).rendition().size);
        });
        await context.step(`${url.split(":")[0]}: a wrong token is refused at once, and shown nowhere`, async () => {
          const wire = new Wire(new URL(url).host.replace("localhost", "127.0.0.1"));
          await using tintype = make(url.replace(/:\d+$/, `:${new URL(`http://${wire.address}`).port}`), "wrong-secret");
          await rejects(
            tintype.load(service.picture()),
            (error) => error instanceof TintypeError && error.name === "unauthenticated" && !String(error.stack).includes("wrong-secret"),
          );
          await rejects(tintype.submit(service.picture()).image, { name: "unauthenticated" });
          // Each request was tried once.
          ok(wire.accepted <= 2, `${wire.accepted}`);
          wire.close();
        });
        await context.step(`${url.split(":")[0]}: without a token nothing is done`, async () => {
          await using tintype = make(url);
          await rejects(tintype.load(service.picture()), { name: "unauthenticated" });
        });
        await context.step(`${url.split(":")[0]}: a role that is too low is forbidden`, async () => {
          await using tintype = make(url, "reader-token");
          await rejects(tintype.queue().pause(), { name: "forbidden" });
        });
      }
      await context.step("an authority that is not known is refused", async () => {
        for (const url of [tls, https]) {
          await using tintype = new Tintype(url, { token: "reader-token", timeout: 600 });
          await rejects(tintype.call("system.ping", {}), { name: "tls" });
        }
      });
      await context.step("a name that the certificate lacks is refused", async () => {
        await using tintype = new Tintype(tls, { token: "reader-token", timeout: 600, tls: { ca, servername: "another.example" } });
        await rejects(tintype.call("system.ping", {}), { name: "tls" });
        // The fault of one coordinator says nothing about the others.
        const port = new URL(tls).port;
        await using several = new Tintype([`tls://127.0.0.1:${port}`, `tcp://127.0.0.1:1`, tls], { token: "reader-token", tls: { ca } });
        same(await several.call("system.ping", {}), "pong");
      });
    } finally {
      authorities.close();
      await service.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
