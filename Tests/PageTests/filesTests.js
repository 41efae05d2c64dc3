import { deepStrictEqual as same } from "node:assert";

const folder = new URL("../../Sources/Features/Dashboard/Files/", import.meta.url);
const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
const text = Object.fromEntries(names.map((name) => [name, Deno.readTextFileSync(new URL(name, folder))]));
const scripts = names.filter((name) => name.endsWith(".js"));

/** The file as the coordinator serves it (PageFile.swift): without comments on lines of their own, without indentation, and without spaces and ends of lines that mean nothing. */
const served = (file) => file.replace(/^ *\/\*[^]*?\*\/.*\n/gm, "").replace(/^ *(\/\/.*)?\n/gm, "").replace(/^ +/gm, "");
const isWord = (letter) => /[\w$#\u0080-\uffff]/.test(letter);
function bare(line) {
  let kept = "", quote = "", isEscaped = false;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at], last = kept.at(-1) ?? "", next = line[at + 1] ?? "";
    if (quote) {
      if (!isEscaped && letter === quote) quote = "";
      isEscaped = !isEscaped && letter === "\\";
    } else if (`"'\``.includes(letter)) quote = letter;
    else if (letter === "}" && last === ";") kept = kept.slice(0, -1);
    else if (letter === " " && !(isWord(last) && isWord(next)) && !(last === next && "+-".includes(next))) continue;
    kept += letter;
  }
  return quote ? line : kept;
}
const loaded = (name) => {
  const file = served(text[name]);
  const joined = (lines) => lines.replace(/(?<=[{([,;])\n(?=.)|\n(?=[})\]])/g, "").replaceAll(";}", "}");
  if (name.endsWith(".css")) return joined(file.replace(/(?<=[:;,{]) | (?=[{}])/g, ""));
  return name.endsWith(".js") ? joined(file.replace(/.+/g, bare)) : file;
};

Deno.test("what a browser loads for all rooms has at most 60 KiB", () => {
  const size = names.reduce((sum, name) => sum + new TextEncoder().encode(loaded(name)).length, 0);
  same(size <= 60 * 1024, true, `${size} bytes`);
});

Deno.test("no line that begins as a comment is anything else", () => {
  for (const name of scripts) {
    // A template or a comment over several lines would lose what it says; `import` and `export` make it a module, which no function may hold.
    const body = loaded(name).replace(/\bimport\{[^;]*;/g, "").replace(/\bexport /g, "");
    try {
      new Function(body);
    } catch (error) {
      throw new Error(`${name}: ${error.message}`);
    }
    same(text[name].split("`").length % 2, 1, `${name}: a template is open`);
    for (const template of text[name].match(/`[^`]*`/g) ?? []) same(template.includes("\n"), false, `${name}: ${template}`);
  }
});

Deno.test("no script has a comment behind code, which would hide the next line", () => {
  for (const name of scripts) for (const line of served(text[name]).split("\n")) {
    same(line.replace(/"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/g, '""').includes("//"), false, `${name}: ${line}`);
  }
});

Deno.test("no text of the style sheet has a space that is left out", () => {
  for (const [shown] of text["page.css"].matchAll(/"[^"]*"/g)) same(/[:;,{] | [{}]|;}/.test(shown), false, shown);
});

Deno.test("the texts and patterns of a script stay as they are", () => {
  for (const name of scripts) for (const line of served(text[name]).split("\n")) {
    const texts = (code) => code.match(/"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/g) ?? [];
    same(texts(bare(line)), texts(line), `${name}: ${line}`);
    // A pattern has no spaces, so that none is lost.
    for (const [pattern] of line.replace(/"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/g, '""').matchAll(/(?<=[(=,:!] ?)\/[^/ *].*?[^\\]\/[a-z]*/g)) same(pattern.includes(" "), false, `${name}: ${pattern}`);
  }
});

Deno.test("every module that is imported is there, and every module is imported", () => {
  const imported = scripts.flatMap((name) => [...text[name].matchAll(/from "\.\/([^"]+)"/g)].map(([, other]) => other));
  same([...new Set(imported)].filter((name) => !names.includes(name)), []);
  same(scripts.filter((name) => name !== "main.js" && !imported.includes(name)), []);
});

Deno.test("modules import in one direction", () => {
  const uses = (name) => [...text[name].matchAll(/from "\.\/([^"]+)"/g)].map(([, other]) => other);
  const walk = (name, way) => {
    same(way.includes(name), false, [...way, name].join(" → "));
    for (const other of uses(name)) walk(other, [...way, name]);
  };
  walk("main.js", []);
});

Deno.test("nothing makes markup or code out of a text", () => {
  const forbidden = /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|Function|setTimeout\("|srcdoc|createContextualFragment|DOMParser)\b/;
  for (const name of scripts) same(forbidden.exec(text[name])?.[0], undefined, name);
});

Deno.test("the document has no script and no style of its own, and asks no other host", () => {
  const html = text["index.html"];
  same(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/i.test(html), false);
  same(/(src|href)="(https?:)?\/\//i.test(html + text["page.css"]), false);
  same(/url\(|@import/i.test(text["page.css"]), false);
});

Deno.test("every element that a module asks for by its id is in the document", () => {
  const ids = [...text["index.html"].matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  const asked = scripts.flatMap((name) => [...text[name].matchAll(/getElementById\("([^"]+)"\)/g)].map(([, id]) => id));
  same(asked.filter((id) => !ids.includes(id)), []);
});
