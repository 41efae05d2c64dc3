// Numbers over time: a ring of points with their sums, and the shapes of charts. Pure.

export const phases = ["queue", "dns", "connect", "tls", "firstByte", "download", "decode", "transform", "encode", "store"];

/** Adds the numbers of an object, at any depth. */
function add(total, more = {}) {
  for (const [name, value] of Object.entries(more)) {
    if (value >= 0) total[name] = (total[name] ?? 0) + value;
    else add((total[name] ??= {}), value);
  }
}

/** A quantile of a histogram, evenly within a bucket; above the last bound, that bound. */
function quantile(part, { count, buckets }, bounds) {
  let left = count * part, low = 0;
  for (const [at, high] of bounds.entries()) {
    const inside = buckets[at] ?? 0;
    if (inside && left <= inside) return low + ((high - low) * left) / inside;
    left -= inside;
    low = high;
  }
  return low;
}

/** The numbers of each `step` of seconds, for the latest `length` steps. */
export class History {
  #points = new Map();
  newest = 0;

  constructor(step, length) {
    Object.assign(this, { step, length });
  }

  /** Adds points in any order; one of a known time replaces it. */
  add(points) {
    const before = this.newest;
    for (const point of points) {
      const slot = Math.floor(point.time / this.step);
      this.#points.set(slot, point);
      this.newest = Math.max(this.newest, slot);
    }
    if (this.newest > before) for (const slot of this.#points.keys()) if (slot <= this.newest - this.length) this.#points.delete(slot);
  }

  /** The latest points, the oldest first; null where there is none. */
  latest(length = this.length) {
    return Array.from({ length }, (_, at) => this.#points.get(this.newest - length + 1 + at) ?? null);
  }

  /** A count a second for each of the latest points; after a stall, a point may have several seconds. */
  rates(read, length) {
    return this.latest(length).map((point) => point && (read(point.counts) ?? 0) / point.seconds);
  }

  /** The sums of a member over the latest points. */
  sums(member, length) {
    const total = {};
    for (const point of this.latest(length)) add(total, point?.[member]);
    return total;
  }

  /** The phases of the latest points, from their histograms added up. */
  phases(length) {
    const points = this.latest(length);
    return phases.map((name) => {
      const total = { count: 0, buckets: {} };
      for (const point of points) {
        const { count, buckets: [first, ...buckets] = [] } = point?.phases[name] ?? {};
        add(total, { count, buckets: Object.fromEntries(buckets.map((number, at) => [first + at, number])) });
      }
      const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => quantile(part, total, this.bounds ?? []));
      return { name, count: total.count, p50, p95, p99 };
    });
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
