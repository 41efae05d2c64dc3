/**
 * Serves the demonstration page for its test in Chromium, with strict policies and pictures by a picture door.
 *
 * Prints `ready URL SOURCE`, and lets the slow picture pass for `GET /open`. The service is behind the same server, for the client in the page.
 */
import { build } from "../build.ts";
import { resize, Signer, Tintype } from "../tintype.ts";
import { Service } from "./service.ts";

const here = new URL("..", import.meta.url);
const folder = await Deno.makeTempDir();
const [key, salt] = ["736563726574", "68656c6c6f"];
await Deno.writeTextFile(`${folder}/keys`, `${key} ${salt}\n`);
await build(`${folder}/built`);
const service = await Service.start({ coordinatorArguments: ["--images", "127.0.0.1:0", "--images-keys", `${folder}/keys`] });
await using tintype = new Tintype(service.tcp());
const door = service.images();
const signer = new Signer({ base: door, key, salt });

async function hash(url: string): Promise<string> {
  return (await tintype.load(url, [resize(100)], { describe: ["thumbhash"] })).thumbhash!;
}

/** The attributes of a picture. */
async function picture(name: string, source: string, thumbhash: string, more: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const srcset = await signer.srcset(source, [160, 320, 640], { format: "webp" });
  return {
    name,
    src: await signer.url(source, { width: 320 }),
    srcset,
    sizes: "200px",
    width: 320,
    height: 240,
    alt: `The picture: ${name}`,
    thumbhash,
    ...more,
  };
}

const source = (words: string) => service.picture(`/picture.png?size=800x600&${words}`);
const shape = await hash(source("for=hash"));
const pictures = await Promise.all([
  picture("loaded", source("a=1"), shape),
  picture("slow", source("s=1"), shape, { src: "slow.webp", srcset: "", loading: "eager" }),
  picture("fallback", service.picture("/status/404"), shape, { fallback: await signer.url(source("b=1"), { width: 320 }), loading: "eager" }),
  picture("failed", service.picture("/status/404"), shape, { loading: "eager" }),
  picture("failed elsewhere", service.picture("/status/404"), shape, { src: "missing.png", srcset: "", fallback: "present.png", loading: "eager" }),
  picture("without a placeholder", source("c=1"), ""),
  picture("wrong placeholder", source("d=1"), "no hash at all"),
  picture("far away", source("far=1"), shape, { far: true }),
]);

/** The block `html` of the README as a page of its own, with URLs of pictures in place of the shortened ones. */
const example = (await Deno.readTextFile(new URL("README.md", here))).match(/^```html\n([\s\S]*?)^```$/m)![1]!;
const shortened = [...new Set(example.match(/https:\/\/pictures\.example\.org\/…\/w:\d+\/…/g))];
const whole = await Promise.all(shortened.map((one) => signer.url(source("readme=1"), { width: Number(one.match(/w:(\d+)/)![1]) })));
const readme = "<!doctype html>\n" + shortened.reduce((text, one, index) => text.replaceAll(one, whole[index]!), example);

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  `img-src 'self' ${door}`,
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
const types: Record<string, string> = { html: "text/html; charset=utf-8", css: "text/css", js: "text/javascript", json: "application/json", png: "image/png" };

let open = () => {};
const opened = new Promise<void>((resolve) => open = resolve);

const stop = new AbortController();
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", signal: stop.signal, onListen: () => {} }, async (request) => {
  const { pathname, search } = new URL(request.url);
  const headers = { "Content-Security-Policy": policy, "Content-Type": types[pathname.split(".").at(-1)!] ?? "text/plain" };
  if (/^\/(rpc|events|images)\b/.test(pathname)) {
    // Who leaves the page's server leaves the service too.
    const { method, body, signal } = request;
    const kept = ["Content-Type", "Last-Event-ID"].flatMap((name) => request.headers.has(name) ? [[name, request.headers.get(name)!] as [string, string]] : []);
    const forwarded = { method, body, signal, headers: kept };
    return await fetch(service.http() + pathname + search, forwarded).catch(() => new Response("", { status: 502 }));
  }
  if (pathname === "/open") {
    open();
    return new Response("", { headers });
  }
  if (pathname === "/demo/slow.webp") {
    await opened;
    return await fetch(await signer.url(source("s=2"), { width: 320, format: "webp" }));
  }
  if (pathname === "/readme.html") return new Response(readme, { headers });
  if (pathname === "/demo/pictures.json") return Response.json(pictures, { headers });
  if (pathname === "/demo/present.png") return new Response(await (await tintype.load("color:teal,40x30", undefined, { format: "png" })).bytes(), { headers });
  if (/^\/tintype(-image)?\.js$/.test(pathname)) return new Response(await Deno.readFile(`${folder}/built${pathname}`), { headers });
  if (!/^\/demo\/[a-z]+\.(html|css|js)$/.test(pathname)) return new Response("", { status: 404, headers });
  return new Response(await Deno.readFile(new URL(`.${pathname}`, here)), { headers });
});
console.log(`ready http://127.0.0.1:${server.addr.port}/demo/index.html ${source("client=1")}`);
// The test closes the standard input.
for await (const _ of Deno.stdin.readable);
stop.abort();
await service.stop();
await Deno.remove(folder, { recursive: true });
Deno.exit();
