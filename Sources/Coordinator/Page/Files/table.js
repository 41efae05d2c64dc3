// A table whose rows stay while their values change: focus, selection and the pointer keep their place.
import { button, h, write } from "./dom.js";
import { plain } from "./text.js";

export function fill(bar, fraction) {
  bar.classList.toggle("open", fraction === null);
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
const compare = (a, b) => (typeof a === "number" ? a - (b ?? 0) : String(a).localeCompare(b));

/** @param key The member, or a function, that gives the key of an item. @param empty Said where there are no items.
 * @param columns `[title, read, kind, "wide"]`: `read` as `key`; `kind` a function that writes a number, or a name or one of `kinds`; a phone leaves
 * out what is wide. @param buttons `[text or function of the item, work(item), class]`. @returns `{node, show(items), shown()}` */
export function table(caption, key, empty, columns, buttons = []) {
  const rows = new Map(), body = h("tbody"), note = h("p.empty", "Loading…"), act = buttons.length ? [h("th", { ariaLabel: "Actions" })] : [];
  const field = h("input", { type: "search", placeholder: "Filter", ariaLabel: `Filter ${caption}`, hidden: true, input: () => show(items) });
  let sorted, isDown, items = [];
  const parts = columns.map(([title, read, kind = "text", wide = ""]) => {
    const [style, make, show] = kinds[kind] ?? (kind.call ? ["number", () => h("span"), (node, value, item) => write(node, kind(value, item))] : kind);
    return { title, read: reader(read), make, show, className: `${style} ${wide}` };
  });
  const heads = parts.map(({ className, title, read }) => h("th", { scope: "col", className }, title && h("button", { type: "button", click({ target }) {
    // Numbers are wanted from the largest down.
    isDown = sorted === read ? !isDown : className.startsWith("number");
    sorted = read;
    for (const head of heads) head.ariaSort = head.contains(target) ? (isDown ? "descending" : "ascending") : null;
    show(items);
  } }, title)));
  const all = h("table", h("caption", h("span", caption), field), h("thead", h("tr", heads, act)), body);

  function begun(id) {
    const row = { cells: parts.map(({ make }) => make()), buttons: buttons.map(([, work, style]) => button("", () => work(row.item), style)) };
    row.line = h("tr", row.cells.map((cell, at) => h(at ? "td" : "th", { className: parts[at].className }, cell)), act.map(() => h("td.act", row.buttons)));
    rows.set(id, row);
    return row;
  }

  const shown = () => (field.value ? items.filter((item) => JSON.stringify(item).toLowerCase().includes(field.value.trim().toLowerCase())) : [...items]);

  function show(news) {
    items = news;
    const order = sorted ? shown().sort((a, b) => compare(sorted(a), sorted(b)) * (isDown ? -1 : 1)) : shown(), left = new Set(rows.keys());
    body.hidden = all.tHead.hidden = !(note.hidden = order.length > 0);
    field.hidden = !field.value && items.length < 12;
    write(note, empty);
    let next = body.firstChild;
    for (const item of order) {
      const id = reader(key)(item), row = rows.get(id) ?? begun(id);
      left.delete(id);
      row.item = item;
      parts.forEach(({ show, read }, at) => show(row.cells[at], read(item), item));
      buttons.forEach(([text], at) => write(row.buttons[at], text.call ? text(item) : text));
      if (row.line === next) next = next.nextSibling;
      else body.insertBefore(row.line, next);
    }
    for (const id of left) {
      rows.get(id).line.remove();
      rows.delete(id);
    }
  }
  return { node: h("div.table", { tabIndex: 0, role: "region", ariaLabel: caption }, all, note), show, shown };
}
