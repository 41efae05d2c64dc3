// One request as text: JSON, a command line, and the line that signs a URL of the picture door. Pure.

/** Builds the request; what is undefined or empty is left out. */
export function request(url, transform, output) {
  return JSON.parse(JSON.stringify({ url, transform: transform.length ? transform : undefined, output: Object.values(output).some(Boolean) ? output : undefined }));
}

/** Quotes a word for a shell of POSIX. */
export const quoted = (word) => (/^[\w/:=.,%+@-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");

export const commandLine = (wanted) => `tintype rpc image.load ${quoted(JSON.stringify(wanted))}`;

const fits = { inside: "fit", cover: "fill", coverDown: "fill-down", auto: "auto", fill: "force" };

/** The operations that the picture door has in the same form, in the order in which it carries them out: name, options, text. */
const door = [
  ["rotate", ["angle"], ({ angle }) => angle % 90 === 0 && `rot:${angle}`],
  ["resize", ["width", "height", "fit", "enlarge"], ({ width = 0, height = 0, fit = "inside", enlarge }) => fits[fit] && `rs:${fits[fit]}:${width}:${height}${enlarge ? ":1" : ""}`],
  ["blur", ["sigma"], ({ sigma }) => sigma && `bl:${sigma}`],
  ["sharpen", ["sigma"], ({ sigma = 1 }) => `sh:${sigma}`],
  ["pixelate", ["size"], ({ size = 10 }) => `pix:${size}`],
];

/** The command that makes a signed URL: the keys are the operator's, never in a page.
 * @returns Null when an operation, its place or an option has no such form. */
export function doorLine({ url, transform = [], output: { format, quality } = {} }) {
  const options = [];
  let place = 0;
  for (const { op, ...rest } of transform) {
    const at = door.findIndex(([name]) => name === op), [, known, write] = door[at] ?? [];
    const text = at >= place && Object.keys(rest).every((name) => known.includes(name)) && write(rest);
    if (!text) return null;
    options.push(text);
    place = at + 1;
  }
  if (quality) options.push(`q:${quality}`);
  return ["tintype url", quoted(url), options.length && "-o " + options.join("/"), format && format !== "auto" && "--format " + format, "--keys KEYS"].filter(Boolean).join(" ");
}
