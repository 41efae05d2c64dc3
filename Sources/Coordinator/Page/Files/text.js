// The texts of numbers, sizes, times and of others. Pure.

function scaled(value, units) {
  let unit = 0;
  for (; Math.abs(value) >= 999.5 && unit < units.length - 1; unit++) value /= 1000;
  return value.toFixed(unit && Math.abs(value) < 99.95 ? 1 : 0) + units[unit];
}

const digits = (value) => value.toFixed(value < 9.95 && value % 1 ? 1 : 0);
const isNumber = Number.isFinite;

/** 7, 1,234, 12.3 k, 4.5 M */
export function count(value) {
  if (!isNumber(value)) return "–";
  return Math.abs(value) < 9999.5 ? Math.round(value).toLocaleString("en") : scaled(value, ["", " k", " M", " G", " T"]);
}

/** 0.4, 38, 12.3 k: how many in a second. */
export const rate = (value) => (isNumber(value) && value < 9.95 ? digits(value) : count(value));

/** 512 B, 12.3 kB, 4.5 MB */
export const bytes = (value) => (isNumber(value) ? scaled(value, [" B", " kB", " MB", " GB", " TB", " PB"]) : "–");

/** 340 µs, 12 ms, 1.3 s, 2 min 4 s, 3 h 20 min, 2 d 4 h */
export function seconds(value) {
  if (!isNumber(value)) return "–";
  if (value < 0.9995) return value > 0.0009995 ? `${digits(value * 1e3)} ms` : `${digits(Math.max(0, value * 1e6))} µs`;
  if (value < 59.5) return `${digits(value)} s`;
  const [part, size, unit, small] = value < 3570 ? [1, 60, "min", "s"] : value < 84600 ? [60, 60, "h", "min"] : [3600, 24, "d", "h"];
  const whole = Math.round(value / part), rest = whole % size;
  return `${Math.floor(whole / size)} ${unit}` + (rest ? ` ${rest} ${small}` : "");
}

/** 12 %, 0.4 %; a part of nothing is –. */
export const percent = (fraction) => (isNumber(fraction) ? `${digits(100 * fraction)} %` : "–");

/** now, 12 s ago. Clocks of two machines differ a little: the future is now. */
export function ago(time, now = Date.now() / 1000) {
  return now - time < 1 ? "now" : `${seconds(Math.floor(now - time))} ago`;
}

/** 09:41:07 */
export const clock = (time) => new Date(time * 1000).toTimeString().slice(0, 8);

/** firstByte → first byte */
export const words = (name) => name.replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase());

/** 1 fetch, 2 fetches */
export const some = (number, one, many = one + "s") => `${count(number)} ${number === 1 ? one : many}`;

/** The text of others as one line that hides nothing: marks of control and direction get a name, and the middle of a long text goes. */
export function plain(text, most = 160) {
  text = String(text ?? "");
  // Cut before it is read: a URL may have 64 KiB. Its ends say most.
  if (text.length > most) text = text.slice(0, most * 0.7) + "…" + text.slice(-most * 0.3);
  return text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (mark) => `‹U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);
}

/** The bytes of a base64 text in hexadecimal and as letters, 16 a line. */
export function dump(base64) {
  return atob(base64).replace(/[^]{1,16}/g, (line) => {
    const numbers = [...line].map((letter) => letter.charCodeAt(0).toString(16).padStart(2, "0"));
    return numbers.join(" ").padEnd(49) + line.replace(/[^ -~]/g, "·") + "\n";
  });
}
