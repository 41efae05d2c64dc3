// The numbers of charts. Pure.

/** The least round number that is not below the value: 1, 2, 4, 5, 8 or 10 times a power of ten. */
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 5, 8, 10].find((step) => step * power >= value * 0.999999) * power;
}

/** Averages of `size` neighbours. A gap (null) counts nothing. */
export function bins(values, size) {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, at) => {
    const part = values.slice(at * size, (at + 1) * size).filter((value) => value !== null);
    return part.length ? part.reduce((sum, value) => sum + value) / part.length : null;
  });
}

/** The upper edges of rows on top of each other. A gap in a row is a gap in those above. */
export function stacked(rows) {
  const edges = [];
  for (const row of rows) {
    const below = edges.at(-1);
    edges.push(row.map((value, at) => (value === null || below?.[at] === null ? null : value + (below?.[at] ?? 0))));
  }
  return edges;
}

/** The place of a value between two ends, from 0 to 1, by logarithm. */
export function place(value, low, high) {
  return Math.min(1, Math.max(0, Math.log(value / low) / Math.log(high / low)));
}

/** The `d` of an SVG path through values from 0 to `top`, in a box of the height 100 and a width of 1 a value. `foot` closes it to an area. */
export function path(values, top, foot) {
  const y = (value) => (100 - (100 * (value ?? 0)) / top).toFixed(2);
  let text = "", from = 0;
  values.forEach((value, at) => {
    if (value === null) return;
    const begins = at === 0 || values[at - 1] === null;
    if (begins) from = at;
    text += `${begins ? "M" : "L"}${at} ${y(value)}`;
    if (!foot || (at + 1 < values.length && values[at + 1] !== null)) return;
    for (let back = at; back >= from; back--) text += `L${back} ${y(foot[back])}`;
    text += "Z";
  });
  return text;
}
