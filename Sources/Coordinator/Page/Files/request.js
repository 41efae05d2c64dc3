// A request as a form and as text. Pure.

/** Describes the field of a parameter of `formats.list`. `kind` is number, choice (with `options`), check, text, or json for lists and objects. */
export function field({ name, schema, summary, default: standard }) {
  const parts = schema.anyOf ?? [schema], part = parts.find((one) => one.enum) ?? parts.find(({ type }) => !["object", "array"].includes(type)) ?? {};
  const kind = part.enum ? "choice" : { integer: "number", number: "number", boolean: "check", string: "text" }[part.type] ?? "json";
  return { name, kind, hint: summary, standard, options: part.enum, min: part.minimum ?? "", max: part.maximum ?? "", step: part.type === "integer" ? 1 : "any" };
}

/** Reads what was typed or checked. Nothing, or the default, gives undefined.
 * @throws SyntaxError when a list or an object is not JSON. */
export function value({ kind, standard = kind === "check" ? false : undefined }, typed) {
  const read = typed === "" ? undefined : kind === "number" ? Number(typed) : kind === "json" ? JSON.parse(typed) : typed;
  return read === standard ? undefined : read;
}

/** Builds the request; what is undefined or empty is left out. */
export const request = (url, transform, output) => JSON.parse(JSON.stringify({ url, transform: transform[0] && transform, output: Object.values(output).some(Boolean) ? output : undefined }));

/** Quotes a word for a shell of POSIX. */
export const quoted = (word) => (/^[\w/:=.,%+@-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");

export const commandLine = (wanted) => `tintype rpc image.load ${quoted(JSON.stringify(wanted))}`;

const sizes = { inside: "fit", cover: "fill", coverDown: "fill-down", auto: "auto", fill: "force" };

/** The operations that the picture door has in the same form, in its order; null where an option has none. */
const door = {
  resize: ({ width = 0, height = 0, fit = "inside", enlarge, ...others }) => (sizes[fit] && none(others) ? `rs:${sizes[fit]}:${width}:${height}${enlarge ? ":1" : ""}` : null),
  blur: ({ sigma, ...others }) => (sigma && none(others) ? `bl:${sigma}` : null),
  sharpen: ({ sigma = 1, ...others }) => (none(others) ? `sh:${sigma}` : null),
  pixelate: ({ size = 10 }) => `pix:${size}`,
};
const none = (others) => !Object.keys(others).length, order = Object.keys(door);

/** The command that makes a signed URL: the keys are the operator's, never in a page.
 * @returns Null when an operation, its place or an option has no such form. */
export function doorLine({ url, transform = [], output: { format, quality } = {} }) {
  const places = transform.map(({ op }) => order.indexOf(op)), options = transform.map(({ op, ...rest }) => door[op]?.(rest));
  if (options.some((one) => !one) || places.some((place, at) => place <= places[at - 1])) return null;
  if (quality) options.push(`q:${quality}`);
  return ["tintype url", quoted(url), options[0] && "-o " + options.join("/"), format && format !== "auto" && "--format " + format, "--keys KEYS"].filter(Boolean).join(" ");
}
