// Try operations on a picture: a form made from `formats.list`, the result at once, and the request as text to take along.
import { call, load, upload } from "./api.js";
import { button, h, label, say, section, write } from "./dom.js";
import { outcome } from "./receipt.js";
import { commandLine, field, request, value } from "./request.js";
import { plain } from "./text.js";

export function playground(room, given) {
  let operations, steps = [], last, timer, agreed;
  const input = () => {
    clearTimeout(timer);
    timer = setTimeout(show, 250);
  };
  /** A link to this room asks no origin: somebody has to press the button for each URL. */
  const agree = () => {
    agreed = url.value;
    input();
  };
  const url = h("input", { value: given, placeholder: "https://example.org/photo.jpg", spellcheck: false });
  const file = h("input", { type: "file", accept: "image/*", change: () => room.act(async () => {
    url.value = (await upload(file.files[0])).url;
    agree();
  }) });
  const adding = h("select", { ariaLabel: "Add an operation", change: () => add(adding.value) }, h("option", { value: "" }, "Add an operation…"));
  const format = h("select", { input }, h("option", { value: "" }, "as the source"), h("option", "auto")), quality = h("input", { type: "number", min: 1, max: 100, placeholder: "default", input });
  const list = h("ol"), view = h("div.none", "Give a URL or a file, and press Show."), texts = h("div");

  const place = (news) => {
    list.replaceChildren(...(steps = news).map(({ node }) => node));
    input();
  };
  const add = (name) => {
    adding.value = "";
    const step = stepOf(operations.find((one) => one.name === name), input, () => place(steps.filter((one) => one !== step)));
    place([...steps, step]);
  };
  const show = async () => {
    last?.abort();
    const { signal } = (last = new AbortController());
    try {
      const wanted = request(url.value.trim(), steps.map(({ read }) => read()), { format: format.value || undefined, quality: Number(quality.value) || undefined });
      texts.replaceChildren(copied("JSON", JSON.stringify(wanted, null, 2)), copied("Command line", commandLine(wanted)), signed(wanted, AbortSignal.any([signal, room.signal])));
      if (!agreed || agreed !== url.value) return;
      view.replaceChildren(outcome(await load(wanted, AbortSignal.any([signal, room.signal]))));
    } catch ({ name, message }) {
      if (!signal.aborted) view.replaceChildren(h("p.bad", `${name}: ${plain(message, 400)}`));
    }
  };
  room.add(h("div.play", h("form.form", { submit(event) {
    event.preventDefault();
    agree();
  } }, label("URL of the source", url), h("button.first", "Show"), label("Or a file", file), section("Operations", list, adding), h("div.fields", label("Format", format), label("Quality", quality))),
    h("div", view, texts)));
  room.act(async () => {
    const formats = await call("formats.list");
    operations = formats.operations;
    adding.append(...operations.map(({ name, summary }) => h("option", { title: summary }, name)));
    format.append(...formats.encode.map((name) => h("option", name)));
    add("resize");
    // A resize without a size is refused.
    list.querySelector("input").value = 640;
  });
}

/** One operation of the form: its element, and `read`, which gives its JSON. */
function stepOf({ name, summary, parameters }, input, remove) {
  const fields = parameters.map(field), inputs = fields.map((one) => inputOf(one, input)), labels = fields.map(({ name, hint }, at) => h("label", { title: hint }, name, inputs[at]));
  const close = button("×", remove);
  close.ariaLabel = `Remove ${name}`;
  return {
    node: h("li", h("fieldset", h("legend", { title: summary }, name), close, h("div.fields", labels.slice(0, 4)), labels[4] && h("details", h("summary", "More"), h("div.fields", labels.slice(4))))),
    read: () => Object.fromEntries([["op", name], ...fields.map((one, at) => [one.name, value(one, one.kind === "check" ? inputs[at].checked : inputs[at].value)])]),
  };
}

function inputOf({ kind, options, min, max, step, standard }, input) {
  const placeholder = String(standard ?? "");
  if (kind === "choice") return h("select", { input }, h("option", { value: "" }, placeholder || "–"), options.filter((one) => one !== standard).map((one) => h("option", one)));
  if (kind === "check") return h("input", { type: "checkbox", checked: standard ?? false, input });
  return h("input", kind === "number" && { type: kind, min, max, step }, { placeholder, input });
}

/** Copies what an element shows. The clipboard of scripts is only there over TLS. */
function copy(name, node) {
  getSelection().selectAllChildren(node);
  say(document.execCommand("copy") ? `${name} is copied.` : "The text is selected: copy it by the keyboard.");
}

/** A text with a button that copies it. */
const copied = (name, text) => section(name, h("button", { type: "button", ariaLabel: `Copy ${name}`, click: ({ target }) => copy(name, target.nextSibling) }, "Copy"), h("pre", { tabIndex: 0 }, text));

/** The URL of the picture door. The coordinator signs it: its keys never come here. */
function signed(wanted, signal) {
  const node = copied("Signed URL", "…"), [, button, text] = node.children;
  button.hidden = true;
  call("pictures.url", wanted, signal).then(({ path, signed }) => {
    write(text, path);
    button.hidden = false;
    if (!signed) node.append(h("p.warn", "The picture door has no keys: nobody has signed this URL."));
  }, ({ message }) => write(text, plain(message, 400)));
  return node;
}
