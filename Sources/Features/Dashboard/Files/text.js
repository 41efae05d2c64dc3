// The texts of numbers, sizes, times and of others. Pure.

const fixed = (value, most = 9.95) => value.toFixed(value < most && value % 1 ? 1 : 0);
const known = (text) => (value, ...rest) => (Number.isFinite(value) ? text(value, ...rest) : "–");

function scaled(value, units) {
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1000;
  return fixed(value, unit && 99.95) + units[unit];
}

/** 7, 1,234, 12.3 k, 4.5 M */
export const count = known((value) => (value < 9999.5 ? Math.round(value).toLocaleString("en") : scaled(value, ["", " k", " M", " G", " T"])));

/** 0.4, 38, 12.3 k: how many in a second. */
export const rate = known((value) => (value < 9.95 ? fixed(value) : count(value)));

/** 512 B, 12.3 kB, 4.5 MB */
export const bytes = known((value) => scaled(value, [" B", " kB", " MB", " GB", " TB", " PB"]));

const units = Object.entries({ µs: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400 });

/** 340 µs, 12 ms, 1.3 s, 4.5 min */
export const seconds = known((value) => {
  const [unit, size] = units.findLast(([, size]) => value >= size * 0.9995) ?? units[0];
  return `${fixed(Math.max(0, value / size))} ${unit}`;
});

/** 12 %, 0.4 %; a part of nothing is –, and nearly all is not all. */
export const percent = known((fraction) => `${fraction > 0.99 && fraction < 1 ? 99 : fixed(100 * fraction)} %`);

/** now, 12 s ago. Clocks of two machines differ a little: the future is now. */
export const ago = known((time, now = Date.now() / 1000) => (now - time < 1 ? "now" : `${seconds(Math.floor(now - time))} ago`));

/** 09:41:07 */
export const clock = (time) => new Date(time * 1000).toTimeString().slice(0, 8);

/** firstByte → first byte */
export const words = (name) => name.replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase());

/** 1 fetch, 2 fetches */
export const some = (number, one, many = one + "s") => `${count(number)} ${number === 1 ? one : many}`;

/** The text of others as a line that hides nothing: marks of control and direction get a name, the middle of a long text goes. */
export function plain(text, most = 160) {
  text = String(text ?? "");
  // Cut before it is read: a URL may have 64 KiB. Its ends say most.
  if (text.length > most) text = text.slice(0, most * 0.7) + "…" + text.slice(-most * 0.3);
  return text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (mark) => `‹U+${mark.codePointAt().toString(16).toUpperCase().padStart(4, "0")}›`);
}
