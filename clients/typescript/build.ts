/**
 * Makes `tintype.js` and `tintype-image.js` with their types: one plain module each, for browsers and Node.
 *
 * Deno's own bundler would download a program, so the modules are joined here: each declaration is at the left edge, and names are unique.
 *
 *   deno run --allow-read --allow-write --allow-run --allow-env build.ts FOLDER
 */
const here = new URL(".", import.meta.url);
const note = "// Made by build.ts from the modules in src: change those.\n\n";

/** A declaration of a module, with the comment in front of it. */
interface Declaration {
  readonly name: string;
  readonly kind: "type" | "value" | "statement";
  readonly isExported: boolean;
  readonly text: string;
}

interface Module {
  readonly path: string;
  /** The comment at the top of the file. */
  readonly head: string;
  /** The modules that it needs when it begins, and those that it has types of. */
  readonly needs: readonly string[];
  readonly mentions: readonly string[];
  readonly declarations: readonly Declaration[];
  /** Statements `export … from …`: a module, and its names; nothing for all of them. */
  readonly passes: readonly { readonly path: string; readonly names?: readonly string[] }[];
}

const from = /^(import|export) (type )?(?:\{([^}]*)\}|\*) from "(\.[^"]+)";\n/gm;
const beginning = /^(?:\/\*\*|\/\/|export |declare |abstract |async |class |interface |type |const |let |function |if |for )/;

/** Cuts a formatted text at its left edge. */
function declarations(text: string): Declaration[] {
  const found: string[] = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    const last = found.at(-1);
    // A comment belongs to what follows it.
    if (beginning.test(line) && !(last && isOpen)) {
      found.push(line);
      isOpen = line.startsWith("/**") || line.startsWith("//");
    } else if (last !== undefined) {
      found[found.length - 1] += `\n${line}`;
      if (isOpen && beginning.test(line) && !line.startsWith("/")) isOpen = false;
    }
  }
  return found.map((one) => {
    const code = one.replace(/^(?:\/\*\*[\s\S]*?\*\/\n|\/\/.*\n)*/, "");
    const [, isExported, word, name] = /^(export )?(?:abstract |async )?(class|interface|type|const|let|function|declare)[ *]+(\[?[\w$]+)/.exec(code) ?? [];
    const kind = word === "interface" || word === "type" || word === "declare" ? "type" : word ? "value" : "statement";
    return { name: name ?? "", kind, isExported: isExported !== undefined, text: one.trimEnd() };
  });
}

async function read(path: string): Promise<Module> {
  const text = await Deno.readTextFile(new URL(path, here));
  const needs: string[] = [], mentions: string[] = [], passes: { path: string; names?: string[] }[] = [];
  const rest = text.replace(from, (_, word, isType, names: string | undefined, relative) => {
    const other = new URL(relative, new URL(path, here)).href.slice(here.href.length);
    const list = names?.split(",").map((one) => one.trim()).filter((one) => one);
    if (list?.some((one) => / as /.test(one))) throw new Error(`${path}: build.ts cannot rename what it imports: ${names}`);
    const hasValues = !isType && (list?.some((one) => !one.startsWith("type ")) ?? true);
    (hasValues ? needs : mentions).push(other);
    if (word === "export") passes.push(list ? { path: other, names: list.map((one) => one.replace(/^type /, "")) } : { path: other });
    return "";
  });
  const head = /^\/\*\*(?:(?!\*\/)[\s\S])*@module\s*\*\/\n/.exec(rest)?.[0] ?? "";
  return { path, head, needs, mentions, passes, declarations: declarations(rest.slice(head.length)) };
}

/** Returns the module and all others, each behind those that it needs. */
async function modules(entry: string): Promise<Module[]> {
  const all = new Map<string, Module>();
  const order: Module[] = [];
  const load = async (path: string) => {
    if (all.has(path)) return;
    const module = await read(path);
    all.set(path, module);
    for (const other of module.needs) await load(other);
    order.push(module);
    for (const other of module.mentions) await load(other);
  };
  await load(entry);
  return order;
}

function join(entry: Module, all: readonly Module[], hasTypes: boolean): string {
  const isPublic = new Set(entry.declarations.filter((one) => one.isExported).map((one) => one.name));
  for (const { path, names } of entry.passes) {
    const own = all.find((one) => one.path === path)!.declarations.filter((one) => one.isExported).map((one) => one.name);
    for (const name of names ?? own) isPublic.add(name);
  }
  const texts: string[] = [], owners = new Map<string, string>();
  for (const { path, declarations } of all) {
    for (const { name, kind, text } of declarations) {
      if (name && owners.has(name) && owners.get(name) !== path) throw new Error(`${name} is declared in ${owners.get(name)} and in ${path}`);
      owners.set(name, path);
      if (kind === "type" && !hasTypes) continue;
      texts.push(isPublic.has(name) ? text : text.replace(/^export (?=(?:abstract |async )?(?:class|interface|type|const|let|function))/m, ""));
    }
  }
  return entry.head + texts.join("\n\n") + "\n";
}

async function deno(cwd: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd, stdout: "null", stderr: "piped" }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** Makes the two files of an entry in a folder. */
async function make(entry: string, folder: string): Promise<void> {
  const all = await modules(`${entry}.ts`);
  const main = all.find((one) => one.path === `${entry}.ts`)!;
  const [whole, plain] = [`${folder}/${entry}.ts`, `${folder}/plain/${entry}.ts`];
  await Deno.mkdir(`${folder}/plain`, { recursive: true });
  await Deno.writeTextFile(whole, join(main, all, true));
  await Deno.writeTextFile(plain, join(main, all, false));
  await deno(folder, "transpile", "--quiet", "--no-lock", "--declaration", "--outdir", `${folder}/out`, whole);
  await deno(folder, "transpile", "--quiet", "--no-lock", "--no-check", "-o", `${folder}/plain/${entry}.js`, plain);
  const types = (await Deno.readTextFile(`${folder}/out/${entry}.d.ts`)).replace(/^\/\/\/ <amd-module.*\n/, "");
  await Deno.writeTextFile(`${folder}/${entry}.d.ts`, note + types);
  await Deno.writeTextFile(`${folder}/${entry}.js`, `// @ts-self-types="./${entry}.d.ts"\n` + note + await Deno.readTextFile(`${folder}/plain/${entry}.js`));
  await deno(folder, "fmt", "--quiet", "--no-config", "--line-width", "160", `${folder}/${entry}.js`, `${folder}/${entry}.d.ts`);
}

/** Writes the four files into a folder, which need not exist. */
export async function build(folder: string): Promise<void> {
  const work = await Deno.makeTempDir();
  try {
    // The settings of a folder hold for the files in it only.
    await Deno.copyFile(new URL("deno.json", here), `${work}/deno.json`);
    const entries = ["tintype", "tintype-image"];
    for (const entry of entries) await make(entry, work);
    await Deno.mkdir(folder, { recursive: true });
    for (const name of entries.flatMap((entry) => [`${entry}.js`, `${entry}.d.ts`])) await Deno.copyFile(`${work}/${name}`, `${folder}/${name}`);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

if (import.meta.main) {
  const [folder] = Deno.args;
  if (!folder) throw new Error("usage: build.ts FOLDER");
  await build(folder);
}
