// Elements. The texts of others become text nodes only, so that they are never markup.
import { plain } from "./text.js";

/** Makes an element: `h("p.soft", { title }, child, …)`. Functions become listeners, names that the element knows properties, others attributes. */
export function h(name, ...parts) {
  const [tag, ...classes] = name.split(".");
  return filled(document.createElement(tag), { className: classes.join(" ") }, parts);
}

/** Makes an element of SVG. */
export function svg(name, ...parts) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), parts);
}

function filled(made, ...parts) {
  for (const part of parts.flat(4)) {
    if (part?.constructor !== Object) {
      if (part || part === 0) made.append(part);
    } else for (const [key, value] of Object.entries(part)) {
      if (typeof value === "function") made.addEventListener(key, value);
      else if (key in made && made instanceof HTMLElement) made[key] = value;
      else made.setAttribute(key, value);
    }
  }
  return made;
}

/** Writes a text if it differs, so that nothing is drawn again for nothing. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** An element with the text of others: cut, its direction kept apart. */
export const foreign = (text, most) => h("bdi.cut", { title: plain(text, 1000) }, plain(text, most));

/** A button. While its work goes on, it is busy and does nothing. */
export function button(text, work, className = "") {
  const made = h("button", { type: "button", className, click: async () => {
    if (made.ariaBusy) return;
    made.ariaBusy = "true";
    await work();
    made.ariaBusy = null;
  } }, text);
  return made;
}

/** A link to a room. */
export const link = (text, ...route) => h("a", { href: "#/" + route.map(encodeURIComponent).join("/") }, foreign(text));

export const section = (title, ...parts) => h("section", { ariaLabel: title }, h("h2", title), parts);

export const label = (text, ...field) => h("label", text, field);

/** A field with a word that a list is filtered by; `show` draws the list. */
export const filter = (show) => h("input.filter", { type: "search", placeholder: "Filter", ariaLabel: "Filter", input: show });

/** Whether one of the texts has what is typed into a filter. */
export const fits = (field, ...texts) => texts.join("\n").toLowerCase().includes(field.value.trim().toLowerCase());

/** A list of names and values; those without a value are left out. */
export const facts = (...pairs) => h("dl", pairs.filter(([, value]) => value).map(([name, value]) => [h("dt", name), h("dd", value)]));

/** A picture; its bytes come from this service only. */
export const image = (src, alt) => h("img", { src, alt });

/** The path that serves a result. */
export const imagePath = (key) => "/images/" + encodeURIComponent(key);
