// What the page says to the reader: news and questions.
import { h } from "./dom.js";
import { plain } from "./text.js";

const said = document.getElementById("said");
let timer;

/** Says what has happened, to eyes and to screen readers, for a while. */
export function say(text, className = "") {
  clearTimeout(timer);
  // The same sentence again is news too.
  said.textContent = "";
  said.textContent = plain(text, 400);
  said.className = "shown " + className;
  timer = setTimeout(() => (said.className = ""), 6000);
}

/** Shows a dialog until it is closed, or the room changes.
 * @param verb The button that agrees; none without it. @returns The values of the fields by name, or undefined. */
export function dialog(title, content, verb, style = "first") {
  const form = h("form", { method: "dialog" }, h("h2", title), content, h("p.actions", h("button", { value: "", formNoValidate: true }, "Close"), verb && h("button", { value: "yes", className: style }, verb)));
  const made = h("dialog", { ariaLabel: title, click: (event) => event.target === made && made.close() }, form);
  const close = () => made.close();
  document.body.append(made);
  addEventListener("hashchange", close, { once: true });
  made.showModal();
  return new Promise((resolve) => made.addEventListener("close", () => {
    removeEventListener("hashchange", close);
    made.remove();
    const fields = [...form.querySelectorAll("[name]")].filter(({ value }) => value);
    resolve(made.returnValue ? Object.fromEntries(fields.map(({ name, type, value }) => [name, type === "number" ? Number(value) : value])) : undefined);
  }));
}
