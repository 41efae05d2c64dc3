// Numbers over time: a ring of points with their sums, and the shapes of charts. Pure.

export const phases = ["queue", "dns", "connect", "tls", "firstByte", "download", "decode", "transform", "encode", "store"];

/** Adds the numbers of an object, at any depth. */
function add(total, more = {}) {
  for (const [name, value] of Object.entries(more)) {
    if (value >= 0) total[name] = (total[name] ?? 0) + value;
    else add((total[name] ??= {}), value);
  }
}

/** What each `step` of seconds brought, for the latest `length` steps. */
export class History {
  #points = new Map();
  newest = 0;

  constructor(step, length) {
    Object.assign(this, { step, length });
  }

  /** Adds points in any order; one of a known time replaces it. */
  add(points) {
    for (const point of points) {
      const slot = Math.floor(point.time / this.step);
      this.#points.set(slot, point);
      this.newest = Math.max(this.newest, slot);
    }
    for (const slot of this.#points.keys()) if (slot <= this.newest - this.length) this.#points.delete(slot);
  }

  /** The latest points, the oldest first; null where there is none. */
  latest(length = this.length) {
    return Array.from({ length }, (_, at) => this.#points.get(this.newest - length + 1 + at) ?? null);
  }

  /** A count a second for each of the latest points. */
  rates(read, length) {
    return this.latest(length).map((point) => point && (read(point.counts) ?? 0) / this.step);
  }

  /** The sums of a member over the latest points. */
  sums(member, length) {
    const total = {};
    for (const point of this.latest(length)) add(total, point?.[member]);
    return total;
  }

  /** The phases of the latest points: p50 and p95 as averages by count, p99 the largest. */
  phases(length) {
    return phases.map((name) => this.latest(length).reduce((found, point) => {
      const { count = 0, p50 = 0, p95 = 0, p99 = 0 } = point?.phases?.[name] ?? {}, sum = found.count + count, share = count / (sum || 1);
      return { name, count: sum, p50: found.p50 + (p50 - found.p50) * share, p95: found.p95 + (p95 - found.p95) * share, p99: Math.max(found.p99, p99) };
    }, { count: 0, p50: 0, p95: 0, p99: 0 }));
  }
}

/** The least round number that is not below the value. */
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value * 0.999999) * power;
}

/** Averages of `size` neighbours. A gap (null) counts nothing. */
export const bins = (values, size) => Array.from({ length: Math.ceil(values.length / size) }, (_, at) => {
  const part = values.slice(at * size, (at + 1) * size).filter((value) => value !== null);
  return part.length ? part.reduce((sum, value) => sum + value) / part.length : null;
});

/** The upper edges of rows on top of each other. A gap in a row is a gap in those above. */
export function stacked(rows) {
  let below = [];
  return rows.map((row) => (below = row.map((value, at) => (value === null || below[at] === null ? null : value + (below[at] ?? 0)))));
}

/** The place of a value between two ends, from 0 to 1, by logarithm. */
export const place = (value, low, high) => Math.min(1, Math.max(0, Math.log(value / low) / Math.log(high / low)));

/** The `d` of an SVG path through values from 0 to `top` in a box of the height 100. `foot` closes it to an area. */
export function path(values, top, foot) {
  const to = (at, value = 0) => `${at} ${(100 - (100 * value) / top).toFixed(1)}`;
  let text = "", from = -1;
  values.forEach((value, at) => {
    if (value === null) return;
    text += (from < 0 ? "M" : "L") + to(at, value);
    if (from < 0) from = at;
    if ((values[at + 1] ?? null) !== null) return;
    for (let back = at; foot && back >= from; back--) text += "L" + to(back, foot[back] ?? 0);
    from = -1;
  });
  return text;
}
