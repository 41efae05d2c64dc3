// Elements, and what the page says. The texts of others become text nodes only, so that they are never markup.
import { plain } from "./text.js";

/** Makes an element: `h("p.soft", { title }, child, …)`. Functions become listeners, known names properties, others attributes. */
export function h(name, ...parts) {
  const [tag, ...classes] = name.split("."), made = filled(document.createElement(tag), parts);
  if (classes.length) made.classList.add(...classes);
  return made;
}

export const svg = (name, ...parts) => filled(document.createElementNS("http://www.w3.org/2000/svg", name), parts);

function filled(made, parts) {
  for (const part of parts.flat(5)) {
    if (part?.constructor !== Object) made.append(...[part].filter((one) => one || one === 0));
    else for (const [key, value] of Object.entries(part)) {
      if (value?.call) made.addEventListener(key, value);
      else if (key in made && made instanceof HTMLElement) made[key] = value;
      else made.setAttribute(key, value);
    }
  }
  return made;
}

/** Writes a text if it differs: nothing is drawn again for nothing. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Children of a node that stay while their items do: nothing is made or loaded twice.
 * @param make Gives an object with its `node`. @returns A function that shows items in their order, and gives pairs of an item and its object. */
export function lasting(parent, key, make) {
  let known = new Map();
  return (items) => {
    const pairs = items.map((item) => [item, known.get(key(item)) ?? make(item)]), news = new Map(pairs.map(([item, made]) => [key(item), made]));
    for (const [id, { node }] of known) if (!news.has(id)) node.remove();
    known = news;
    let next = parent.firstChild;
    for (const { node } of news.values()) {
      if (node === next) next = next.nextSibling;
      else parent.insertBefore(node, next);
    }
    return pairs;
  };
}

/** A text of others: cut, its direction kept apart. */
export const foreign = (text, most) => h("bdi.cut", { title: plain(text, 1000) }, plain(text, most));

/** A button. While its work goes on, it does nothing. */
export function button(text, work, className = "") {
  const made = h("button", { type: "button", className, async click(event) {
    if (made.ariaBusy) return;
    made.ariaBusy = "true";
    try {
      await work(event);
    } finally {
      made.ariaBusy = null;
    }
  } }, text);
  return made;
}

/** A link to a room. */
export const link = (text, ...route) => h("a", { href: "#/" + route.map(encodeURIComponent).join("/") }, foreign(text));

export const section = (title, ...parts) => h("section", { ariaLabel: title }, h("h2", title), parts);
export const label = (text, field) => h("label", text, field);
export const actions = (...buttons) => h("p.actions", buttons);
export const image = (src, alt = "The result") => h("img", { src, alt });

/** Names and values; those without a value are left out. */
export const facts = (...pairs) => h("dl", pairs.filter(([, value]) => value).map(([name, value]) => [h("dt", name), h("dd", value)]));

let timer;

/** Says what has happened, to eyes and to screen readers, for a while. */
export function say(text, style = "") {
  const said = document.getElementById("said");
  clearTimeout(timer);
  // The same sentence again is news too.
  said.textContent = "";
  said.textContent = plain(text, 400);
  said.className = "shown " + style;
  timer = setTimeout(() => (said.className = ""), 6000);
}

/** Shows a dialog until it is closed, or the room changes. @returns Its fields by name, if the button with the verb was pressed. */
export function dialog(title, content, verb, className = "first") {
  // Enter in a field presses the first button that submits: that is the verb.
  const close = () => made.close(), form = h("form", { method: "dialog" }, h("h2", title), content, actions(h("button", { type: "button", click: close }, "Close"), verb && h("button", { value: "yes", className }, verb)));
  const made = h("dialog", { ariaLabel: title }, form);
  document.body.append(made);
  addEventListener("hashchange", close);
  made.showModal();
  return new Promise((resolve) => made.addEventListener("close", () => {
    removeEventListener("hashchange", close);
    made.remove();
    resolve(made.returnValue && Object.fromEntries([...new FormData(form)].filter(([, value]) => value)));
  }));
}
