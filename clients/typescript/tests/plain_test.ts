import { deepStrictEqual as same } from "node:assert";
import { suite } from "./service.ts";

const file = new URL("plain.mjs", import.meta.url).pathname;

async function run(command: string, args: string[]): Promise<{ code: number; text: string }> {
  const output = await new Deno.Command(command, { args, stdout: "piped", stderr: "piped" }).output();
  return { code: output.code, text: new TextDecoder().decode(output.stdout) + new TextDecoder().decode(output.stderr) };
}

/** The version of Node on PATH; nothing when there is none. */
const node = await run("node", ["--version"]).then((one) => Number(/^v(\d+)/.exec(one.text)?.[1] ?? 0), () => 0);

suite({}, {
  async "the plain file works in Deno"(service) {
    same(await run(Deno.execPath(), ["run", "--quiet", "--no-lock", "--no-config", "--allow-net", file, service.tcp(), service.http(), service.picture()]), {
      code: 0,
      text: "done\n",
    });
  },

  async "the plain file works in Node 20 and later"(service) {
    if (node < 20) return console.log(`not run, for this machine has ${node ? `Node ${node}` : "no Node"}: the plain file in Node 20`);
    same(await run("node", [file, service.tcp(), service.http(), service.picture()]), { code: 0, text: "done\n" });
  },
});
