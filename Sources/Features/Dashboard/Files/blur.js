// The blur that stands for a picture until it is loaded: a BlurHash (woltapp/blurhash) or a ThumbHash (evanw/thumbhash), drawn on a small canvas.
import { h } from "./dom.js";

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";

/** The cosines of a plane: `[across, down, factor]`, row by row; with `isCorner` only those near the first one. */
function plane(wide, high, factor, isCorner) {
  const terms = [];
  for (let down = 0; down < high; down++) for (let across = 0; across * high < wide * (isCorner ? high - down : high); across++) terms.push([across, down, factor(terms.length)]);
  return terms;
}

/** Planes, and the function that makes a color of their values; an empty object for a text that is no BlurHash. Pure. */
export function blurhash(text) {
  const number = (from, to) => [...text.slice(from, to)].reduce((value, letter) => value * 83 + letters.indexOf(letter), 0);
  const size = number(0, 1), wide = (size % 9) + 1, high = Math.floor(size / 9) + 1, most = (number(1, 2) + 1) / 166;
  const factor = (color, at) => {
    if (!at) return (((number(2, 6) >> (16 - 8 * color)) & 255) / 255) ** 2.2;
    const part = (Math.floor(number(4 + at * 2, 6 + at * 2) / 19 ** (2 - color)) % 19) / 9 - 1;
    return Math.sign(part) * part * part * most;
  };
  if (text.length !== 4 + 2 * wide * high) return {};
  return { planes: [0, 1, 2].map((color) => plane(wide, high, (at) => factor(color, at))), color: (lights) => lights.map((light) => Math.max(0, light) ** (1 / 2.2)) };
}

/** The same of a ThumbHash in Base64: lightness, yellow against blue, red against green, and opacity if there is some. Pure. */
export function thumbhash(text) {
  if (!/^[A-Za-z0-9+/]{7,60}={0,2}$/.test(text) || text.length % 4) return {};
  const hash = [...atob(text)].map((letter) => letter.charCodeAt());
  const first = hash[0] | (hash[1] << 8) | (hash[2] << 16), second = hash[3] | (hash[4] << 8), isClear = first >> 23, most = isClear ? 5 : 7;
  const part = (word, at, most) => ((word >> at) & most) / most, sides = [most, second & 7].map((side) => Math.max(3, side));
  let at = isClear ? 12 : 10;
  const channel = (wide, high, constant, scale) => plane(wide, high, (index) => (index ? (((hash[at >> 1] >> (4 * (at++ & 1))) & 15) / 7.5 - 1) * scale * 2 : constant), true);
  if (!(second >> 15)) sides.reverse();
  return {
    planes: [
      channel(...sides, part(first, 0, 63), part(first, 18, 31)), channel(3, 3, 2 * part(first, 6, 63) - 1, 1.25 * part(second, 3, 63)), channel(3, 3, 2 * part(first, 12, 63) - 1, 1.25 * part(second, 9, 63)),
      isClear ? channel(5, 5, part(hash[5], 0, 15), part(hash[5], 4, 15)) : [[0, 0, 1]]],
    color([light, yellow, red, opacity]) {
      const blue = light - (2 / 3) * yellow, most = (3 * light - blue + red) / 2;
      return [most, most - red, blue, opacity];
    },
  };
}

/** The colors of the pixels of a square, from 0 to 255. Pure. */
export function pixels({ planes, color }, side) {
  return Array.from({ length: side * side }, (_, at) => {
    const x = (Math.PI * ((at % side) + 0.5)) / side, y = (Math.PI * (Math.floor(at / side) + 0.5)) / side;
    const [red, green, blue, opacity = 1] = color(planes.map((terms) => terms.reduce((sum, [across, down, factor]) => sum + factor * Math.cos(x * across) * Math.cos(y * down), 0)));
    return [red, green, blue, opacity].map((part) => 255 * part);
  }).flat();
}

/** @returns A canvas, or nothing for a text that is no hash. */
export function blur(hash) {
  if (!hash.planes) return;
  const side = 20, canvas = h("canvas", { width: side, height: side });
  canvas.getContext("2d").putImageData(new ImageData(Uint8ClampedArray.from(pixels(hash, side)), side), 0, 0);
  return canvas;
}
