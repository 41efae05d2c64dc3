// The blur that stands for a picture until it is loaded: a BlurHash (woltapp/blurhash), drawn on a small canvas.
import { h } from "./dom.js";

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";

/** Red, green and blue as lists of `wide` × `high` factors; an empty object for a text that is no BlurHash. Pure. */
export function read(hash) {
  const number = (from, to) => [...hash.slice(from, to)].reduce((value, letter) => value * 83 + letters.indexOf(letter), 0);
  const size = number(0, 1), wide = (size % 9) + 1, high = Math.floor(size / 9) + 1, most = (number(1, 2) + 1) / 166;
  const factor = (color, at) => {
    if (!at) return (((number(2, 6) >> (16 - 8 * color)) & 255) / 255) ** 2.2;
    const part = (Math.floor(number(4 + at * 2, 6 + at * 2) / 19 ** (2 - color)) % 19) / 9 - 1;
    return Math.sign(part) * part * part * most;
  };
  return hash.length === 4 + 2 * wide * high ? { wide, high, colors: [0, 1, 2].map((color) => Array.from({ length: wide * high }, (_, at) => factor(color, at))) } : {};
}

/** @returns A canvas, or nothing. */
export function blur(hash) {
  const { wide, high, colors } = read(hash), side = 24;
  if (!colors) return;
  const canvas = h("canvas", { width: side, height: side }), pixels = new ImageData(side, side);
  for (let at = 0; at < side * side; at++) {
    const x = (Math.PI * (at % side)) / side, y = (Math.PI * Math.floor(at / side)) / side;
    const light = (factors) => factors.reduce((sum, factor, index) => sum + factor * Math.cos(x * (index % wide)) * Math.cos(y * Math.floor(index / wide)), 0);
    pixels.data.set([...colors.map((factors) => 255 * Math.max(0, light(factors)) ** (1 / 2.2)), 255], at * 4);
  }
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  return canvas;
}
