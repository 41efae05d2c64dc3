import { deepStrictEqual as same } from "node:assert";

const folder = new URL("../../Sources/Features/Dashboard/Files/", import.meta.url);
const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
const text = Object.fromEntries(names.map((name) => [name, Deno.readTextFileSync(new URL(name, folder))]));
const scripts = names.filter((name) => name.endsWith(".js"));

Deno.test("what a browser loads for all rooms has at most 84 KiB", () => {
  const size = names.reduce((sum, name) => sum + new TextEncoder().encode(text[name]).length, 0);
  same(size <= 84 * 1024, true, `${size} bytes`);
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
