// A table whose rows stay while their values change: focus, selection and the pointer keep their place.
import { button, h, write } from "./dom.js";
import { plain } from "./text.js";

export function fill(bar, fraction) {
  bar.classList.toggle("open", fraction === null);
  bar.firstChild.style.width = `${100 * Math.min(1, Math.max(0, fraction || 0))}%`;
}

/** Kinds of cells that are neither a text of others nor a number: `make()` their content once, `show(content, value, item)`. */
const kinds = {
  // A fraction; a number beside it says the same.
  bar: { class: "track", make: () => h("span.bar", h("i")), show: fill },
  // A word, and whether it worries.
  mark: { class: "", make: () => h("span"), show(node, [word, isBad]) {
    write(node, word);
    node.className = isBad ? "mark warn" : "mark";
  } },
  text: { class: "long", make: () => h("bdi.cut"), show(node, value) {
    if (node.was === value) return;
    node.was = value;
    node.title = plain(value, 1000);
    node.textContent = plain(value);
  } },
};

const compare = (a, b) => (typeof a === "number" ? a - (b ?? 0) : String(a).localeCompare(String(b)));

/** @param key The member, or a function, that gives the key of an item. @param empty What is said without items.
 * @param columns `[title, read, kind, "wide"]`: `read` is a member or a function; `kind` a function that writes a number, a name of `kinds`, or
 * an object like those; a phone leaves out what is wide. @param buttons `[text, work, class]`: the text is one or a function of the item.
 * @returns `{node, show(items)}` */
export function table(caption, key, empty, columns, buttons = []) {
  const reader = (read) => (typeof read === "function" ? read : (item) => item[read]);
  const rows = new Map(), body = h("tbody"), note = h("p.empty", "Loading…");
  let sorted, isDown, items = [];
  const parts = columns.map(([title, read, format = "text", wide = ""]) => {
    const kind = typeof format === "function" ? { class: "number", make: () => h("span"), show: (node, value, item) => write(node, format(value, item)) } : kinds[format] ?? format;
    return { ...kind, title, read: reader(read), class: `${kind.class} ${wide}` };
  });
  const heads = parts.map((part) => h("th", { scope: "col", className: part.class }, part.class.startsWith("track") ? "" : h("button", { type: "button", click: () => {
    // Numbers are wanted from the largest down.
    isDown = sorted === part ? !isDown : part.class.startsWith("number");
    sorted = part;
    heads.forEach((head, at) => (head.ariaSort = parts[at] === part ? (isDown ? "descending" : "ascending") : null));
    show(items);
  } }, part.title)));
  const all = h("table", h("caption.unseen", caption), h("thead", h("tr", heads, buttons.length > 0 && h("th", h("span.unseen", "Actions")))), body);

  function begun(id) {
    const row = { cells: parts.map((part) => part.make()) };
    row.buttons = buttons.map(([text, work, style]) => [button(typeof text === "string" ? text : "", () => work(row.item), style), text]);
    row.line = h("tr", row.cells.map((cell, at) => h(at ? "td" : "th", { className: parts[at].class }, cell)), buttons.length > 0 && h("td.act", row.buttons.map(([made]) => made)));
    rows.set(id, row);
    return row;
  }

  function show(news) {
    items = news;
    const order = sorted ? items.toSorted((a, b) => compare(sorted.read(a), sorted.read(b)) * (isDown ? -1 : 1)) : items;
    all.hidden = !(note.hidden = items.length > 0);
    write(note, empty);
    const left = new Set(rows.keys());
    let next = body.firstChild;
    for (const item of order) {
      const id = reader(key)(item), row = rows.get(id) ?? begun(id);
      left.delete(id);
      row.item = item;
      parts.forEach((part, at) => part.show(row.cells[at], part.read(item), item));
      for (const [made, text] of row.buttons) if (typeof text === "function") write(made, text(item));
      if (row.line === next) next = next.nextSibling;
      else body.insertBefore(row.line, next);
    }
    for (const id of left) {
      rows.get(id).line.remove();
      rows.delete(id);
    }
  }
  return { node: h("div.table", { tabIndex: 0, role: "region", ariaLabel: caption }, all, note), show };
}
