// The fields of a form, from the parameters of an operation in `formats.list`. Pure.

/** Describes the field of a parameter. `kind` is number, choice (with `options`), check, text, or json for lists and objects. */
export function field({ name, schema, summary, required, default: standard }) {
  const parts = schema.anyOf ?? [schema], part = parts.find((one) => one.enum) ?? parts.find(({ type }) => !["object", "array"].includes(type)) ?? {};
  const kind = part.enum ? "choice" : { integer: "number", number: "number", boolean: "check", string: "text" }[part.type] ?? "json";
  return { name, kind, required, hint: summary, standard, options: part.enum, min: part.minimum, max: part.maximum, step: part.type === "integer" ? 1 : "any" };
}

/** Reads what was typed or checked. Nothing, or the default, gives undefined.
 * @throws SyntaxError when a list or an object is not JSON. */
export function value({ kind, standard = kind === "check" ? false : undefined }, typed) {
  if (typed === "") return undefined;
  const read = kind === "number" ? Number(typed) : kind === "json" ? JSON.parse(typed) : typed;
  return read === standard ? undefined : read;
}

/** Whether a form shows a field at once: the required ones and the first; the others are behind “More”. */
export function isFirst({ required, name }, at, fields) {
  return required || at < 2 || fields.length < 7 || ["fit", "gravity"].includes(name);
}
