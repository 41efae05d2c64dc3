import { deepStrictEqual as same, ok } from "node:assert";
import { Program, type Service, suite } from "./service.ts";

const here = new URL("..", import.meta.url);
const page = await Deno.readTextFile(new URL("README.md", here));

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of the page. A block `text` is what the program in front of it prints. */
const blocks: Block[] = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({ language: language!, text: text! }));
const programs = blocks.flatMap((block, index) =>
  block.language === "ts" ? [{ text: block.text, output: blocks[index + 1]?.language === "text" ? blocks[index + 1]!.text : "" }] : []
);
const quick = programs[0]!;

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

Deno.test("the page has programs, and says what they print", () => ok(programs.length >= 8 && programs.filter((one) => one.output).length >= 7));

suite({}, {
  async "each program of the page fits the types, and prints what the page shows"(service) {
    const folder = await Deno.makeTempDir();
    try {
      const files: [string, string][] = [];
      for (const [index, { text, output }] of programs.slice(1).entries()) {
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

  async "the quick start works against tintype up"(service) {
    const folder = await Deno.makeTempDir();
    const up = await Program.start("tintype", [
      "up",
      "--data",
      folder,
      "--workers",
      "1",
      "--listen",
      "127.0.0.1:0",
      "--http",
      "127.0.0.1:0",
      "--allow-addresses",
      "127.0.0.0/8",
    ]);
    try {
      ok(quick.text.trim().split("\n").length <= 10);
      const text = quick.text.replace("./clients/typescript/", here.href).replace("127.0.0.1:7411", up.words.rpc!).replace("127.0.0.1:7412", up.words.http!)
        .replace("https://example.org/photo.jpg", service.picture("/picture.png?size=1600x1200"));
      await Deno.writeTextFile(`${folder}/quick.ts`, text);
      same(await deno("run", "--quiet", "--no-lock", "--no-config", "--check", "--allow-net", `${folder}/quick.ts`), { code: 0, text: quick.output });
    } finally {
      await up.kill("SIGTERM");
      await Deno.remove(folder, { recursive: true });
    }
  },
});
