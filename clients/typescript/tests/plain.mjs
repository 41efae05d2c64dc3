// The built file, as Node and browsers import it: plain.mjs FILE TCP HTTP SOURCE
import { deepStrictEqual as same, rejects } from "node:assert";

const [file, tcp, http, source] = process.argv.slice(2);
const { blur, resize, Signer, Tintype } = await import(file);
for (const [url, options] of [[tcp, { http }], [http, {}], [[tcp, tcp], {}]]) {
  const tintype = new Tintype(url, options);
  const image = await tintype.load(source, [resize(50, 50, { fit: "cover" }), blur({ sigma: 1 })], { format: "webp" });
  same([image.width, image.format, (await image.bytes()).length], [50, "webp", image.rendition().size]);
  const task = tintype.submit(source, [resize(40)], { progress: true, cache: { policy: "reload" } });
  const types = [];
  for await (const event of task) types.push(event.type);
  same([types.at(-1), (await task).width], ["succeeded", 40]);
  same((await tintype.batch([{ url: source }, { url: source, transform: [resize(9)] }])).map((one) => one.width), [image.source.width, 9]);
  await rejects(tintype.load("http://127.0.0.1:1/"), { name: "connect" });
  await rejects(tintype.load(source, [resize(50)], { signal: AbortSignal.abort() }), { name: "AbortError" });
  same(await tintype.call("system.ping", {}), "pong");
  // A client that rests keeps no process alive: the last one is not closed.
  if (options.http) tintype.close();
}
same((await new Signer({ key: "736563726574", salt: "68656C6C6F" }).url("a")).length > 40, true);
console.log("done");
