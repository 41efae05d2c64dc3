// A table whose rows stay while their values change: focus, selection and the pointer keep their place.
import { button, h, lasting, write } from "./dom.js";
import { percent, plain } from "./text.js";

export function fill(bar, fraction) {
  bar.classList.toggle("open", fraction === null);
  // Not every eye sees a bar, and not every window has room for the number beside it.
  bar.role = "img";
  bar.ariaLabel = percent(fraction);
  bar.firstChild.style.width = `${100 * Math.min(1, Math.max(0, fraction || 0))}%`;
}

/** Kinds of cells: a class, `make()` the content once, `show(content, value, item)`. */
const kinds = {
  // A fraction, whose number stands beside it.
  bar: ["track", () => h("span.bar", h("i")), fill],
  // A word, and whether it worries.
  mark: ["", () => h("span"), (node, [word, isBad]) => {
    write(node, word);
    node.className = isBad ? "mark warn" : "mark";
  }],
  text: ["long", () => h("bdi.cut"), (node, value) => {
    if (node.was !== value) [node.was, node.title, node.textContent] = [value, plain(value, 1000), plain(value)];
  }],
};

const reader = (read) => (read.call ? read : (item) => item[read]);

/** @param key The member, or a function, that gives the key of an item. @param empty Said where there are no items.
 * @param columns `[title, read, kind, "wide"]`: `read` as `key`; `kind` a function that writes a number, or a name or one of `kinds`; a phone leaves
 * out what is wide. @param buttons `[text or function of the item, work(item), class]`; one without a text is not there.
 * @returns `{node, show(items), items()}` */
export function table(caption, key, empty, columns, buttons = []) {
  const body = h("tbody"), note = h("p.empty", "Loading…"), act = buttons.length ? [h("th", { ariaLabel: "Actions" })] : [];
  let items = [];
  const parts = columns.map(([title, read, kind = "text", wide = ""]) => {
    const [style, make, show] = kinds[kind] ?? (kind.call ? ["number", () => h("span"), (node, value, item) => write(node, kind(value, item))] : kind);
    return { title, read: reader(read), make, show, className: `${style} ${wide}` };
  });
  const all = h("table", h("caption", caption), h("thead", h("tr", parts.map(({ className, title }) => h("th", { scope: "col", className, ariaLabel: title || "Part" }, title)), act)), body);

  const rows = lasting(body, reader(key), () => {
    const row = { cells: parts.map(({ make }) => make()), buttons: buttons.map(([, work, style]) => button("", () => work(row.item), style)) };
    row.node = h("tr", row.cells.map((cell, at) => h(at ? "td" : "th", { className: parts[at].className }, cell)), act.map(() => h("td.act", row.buttons)));
    return row;
  });

  function show(news) {
    items = news;
    body.hidden = all.tHead.hidden = !(note.hidden = items.length > 0);
    write(note, empty);
    for (const [item, row] of rows(items)) {
      row.item = item;
      parts.forEach(({ show, read }, at) => show(row.cells[at], read(item), item));
      buttons.forEach(([text], at) => {
        write(row.buttons[at], text.call ? text(item) : text);
        row.buttons[at].hidden = !row.buttons[at].textContent;
      });
    }
  }
  return { node: h("div.table", { tabIndex: 0, role: "region", ariaLabel: caption }, all, note), show, items: () => items };
}
