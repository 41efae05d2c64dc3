import { deepStrictEqual as same } from "node:assert";
import { suite } from "./service.ts";

const here = new URL("..", import.meta.url);
const program = new URL("plain.mjs", import.meta.url).pathname;

/** A folder like a clone of the repository, in which the command of the README has built the files. */
const folder = await Deno.makeTempDir();
const file = `${folder}/.build/typescript/tintype.js`;

async function run(command: string, args: string[], cwd?: string): Promise<{ code: number; text: string }> {
  const env = { PATH: `${folder}/bin:${Deno.env.get("PATH")}`, NO_COLOR: "1" };
  const output = await new Deno.Command(command, { args, cwd, env, stdout: "piped", stderr: "piped" }).output();
  return { code: output.code, text: new TextDecoder().decode(output.stdout) + new TextDecoder().decode(output.stderr) };
}

/** The version of Node on PATH; nothing when there is none. */
const node = await run("node", ["--version"]).then((one) => Number(/^v(\d+)/.exec(one.text)?.[1] ?? 0), () => 0);

Deno.test.beforeAll(async () => {
  for (const name of ["bin", "clients"]) await Deno.mkdir(`${folder}/${name}`);
  await Deno.symlink(Deno.execPath(), `${folder}/bin/deno`);
  await Deno.symlink(here, `${folder}/clients/typescript`);
  const [command] = /^deno run .*build\.ts.*$/m.exec(await Deno.readTextFile(new URL("README.md", here)))!;
  same(await run("bash", ["-c", command], folder), { code: 0, text: "" });
});
Deno.test.afterAll(async () => await Deno.remove(folder, { recursive: true }));

Deno.test("the built files have types", async () => {
  const text = `import { Tintype } from "./tintype.js";
import { TintypeImage } from "./tintype-image.js";
const tintype = new Tintype("/"), image: HTMLElement = new TintypeImage();
const width: number = (await tintype.load("a")).width;
// @ts-expect-error The type of a width is known.
const wrong: string = (await tintype.load("a")).width;
console.log(image, width, wrong);
`;
  await Deno.writeTextFile(`${folder}/.build/typescript/use.ts`, text);
  await Deno.copyFile(new URL("deno.json", here), `${folder}/.build/typescript/deno.json`);
  same(await run("deno", ["check", "--quiet", "use.ts"], `${folder}/.build/typescript`), { code: 0, text: "" });
});

suite({}, {
  async "the built file works in Deno"(service) {
    const args = ["run", "--quiet", "--no-lock", "--no-config", "--allow-net", "--allow-read", program];
    same(await run("deno", [...args, file, service.tcp(), service.http(), service.picture()]), { code: 0, text: "done\n" });
  },

  async "the built file works in Node 20 and later"(service) {
    if (node < 20) return console.log(`not run, for this machine has ${node ? `Node ${node}` : "no Node"}: the built file in Node 20`);
    same(await run("node", [program, file, service.tcp(), service.http(), service.picture()]), { code: 0, text: "done\n" });
  },
});
