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
