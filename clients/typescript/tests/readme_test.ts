import { deepStrictEqual as same, ok } from "node:assert";
import { programs, type Service, suite } from "./service.ts";

const here = new URL("..", import.meta.url);
const page = await Deno.readTextFile(new URL("README.md", here));

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of the page. A block `text` is what the program in front of it prints. */
const blocks: Block[] = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({ language: language!, text: text! }));
const examples = blocks.flatMap((block, index) =>
  block.language === "ts" ? [{ text: block.text, output: blocks[index + 1]?.language === "text" ? blocks[index + 1]!.text : "" }] : []
);
const quick = examples[0]!;
/** The lines in front of the quick start, which start the service and run the program. */
const shell = blocks.find((block) => block.language === "sh")!.text;

async function deno(...args: string[]): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, stdout: "piped", stderr: "piped" }).output();
  return { code, text: new TextDecoder().decode(stdout) + (code ? new TextDecoder().decode(stderr) : "") };
}

/** A block as a program: what the page takes for granted comes first. */
function program(text: string, service: Service): string {
  const values: Record<string, string> = {
    url: JSON.stringify(service.picture("/picture.png?size=1600x1200")),
    broken: JSON.stringify(service.picture("/status/404")),
    urls: JSON.stringify([1, 2, 3].map(() => service.picture())),
    bar: "{ value: 0 }",
    ca: JSON.stringify(""),
    currentToken: '() => ""',
  };
  const given = Object.entries(values).flatMap(([name, value]) => new RegExp(`\\b${name}\\b`).test(text) ? [`const ${name} = ${value};\n`] : []);
  const client = text.includes("new Tintype(")
    ? ""
    : `await using tintype = new Tintype(${JSON.stringify(service.tcp())}, { http: ${JSON.stringify(service.http())} });\n` +
      (text.includes("cache.get") ? "await tintype.load(url, [resize(64)]);\n" : "");
  const names = ["resize", "sharpen", "Signer", "Tintype", "TintypeError"].filter((name) => new RegExp(`\\b${name}\\b`).test(client + text));
  // A busy machine has more time than the page gives.
  const patient = text.replace("deadline: 10,", "deadline: 500,").replace("AbortSignal.timeout(10_000)", "AbortSignal.timeout(500_000)");
  return `import { ${names.join(", ")} } from ${JSON.stringify(new URL("tintype.ts", here).href)};\n${given.join("")}${client}${patient}`;
}

Deno.test("every kind of block has a test", () => {
  // `page.py` opens the block `html` in Chromium, and `plain_test.ts` runs the second block `sh`.
  const kinds = Map.groupBy(blocks, (block) => block.language);
  same([...kinds.keys()].sort(), ["html", "sh", "text", "ts"]);
  same([kinds.get("html")!.length, kinds.get("sh")!.length], [1, 2]);
});

Deno.test("the page has programs, and says what they print", () => ok(examples.length >= 8 && examples.filter((one) => one.output).length >= 7));

suite({}, {
  async "each program of the page fits the types, and prints what the page shows"(service) {
    const folder = await Deno.makeTempDir();
    try {
      const files: [string, string][] = [];
      for (const [index, { text, output }] of examples.slice(1).entries()) {
        files.push([`${folder}/${index}.ts`, output]);
        await Deno.writeTextFile(`${folder}/${index}.ts`, program(text, service));
      }
      const check = await deno("check", "--quiet", "--no-lock", "--no-config", ...files.map(([file]) => file));
      same(check, { code: 0, text: "" });
      for (const [file, output] of files) {
        same(await deno("run", "--quiet", "--no-lock", "--no-config", "--no-check", "--allow-net", file), { code: 0, text: output }, file);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },

  async "the lines of the quick start work in a shell as they stand"(service) {
    const folder = await Deno.makeTempDir();
    // The ports of the page, at an address that no other program of this machine has.
    const [, second, third] = crypto.getRandomValues(new Uint8Array(3)).map((one) => one % 254 + 1);
    const host = `127.97.${second}.${third}`;
    const bin = `${folder}/bin`;
    try {
      ok(quick.text.trim().split("\n").length <= 10);
      await Deno.mkdir(bin);
      await Deno.symlink(`${programs}/tintype`, `${bin}/tintype`);
      await Deno.symlink(Deno.execPath(), `${bin}/deno`);
      await Deno.mkdir(`${folder}/clients`);
      await Deno.symlink(here, `${folder}/clients/typescript`);
      const text = quick.text.replaceAll("127.0.0.1", host).replace("https://example.org/photo.jpg", service.picture("/picture.png?size=1600x1200"));
      await Deno.writeTextFile(`${folder}/quick.ts`, text);
      // The service leaves nothing in the output of the shell, and ends with it.
      const script = `trap 'kill $!; wait' EXIT\nset -e\n${shell.replace("&", "> up.log 2>&1 &")}`;
      const env = {
        PATH: `${bin}:${Deno.env.get("PATH")}`,
        TINTYPE_LISTEN: `${host}:7411`,
        TINTYPE_HTTP: `${host}:7412`,
        TINTYPE_DATA: `${folder}/data`,
        TINTYPE_WORKERS: "1",
        TINTYPE_ALLOW_ADDRESSES: "127.0.0.0/8",
      };
      const { code, stdout, stderr } = await new Deno.Command("bash", { args: ["-c", script], cwd: folder, env, stdout: "piped", stderr: "piped" }).output();
      const decoder = new TextDecoder();
      same({ code, text: decoder.decode(stdout) }, { code: 0, text: quick.output }, decoder.decode(stderr) + await Deno.readTextFile(`${folder}/up.log`));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
