// What each second, or each 15 seconds, brought: a ring of points with sums over the latest of them. Pure.

export const phases = ["queue", "dns", "connect", "tls", "firstByte", "download", "decode", "transform", "encode", "store"];

/** Adds the numbers of an object, at any depth. */
function add(total, more = {}) {
  for (const [name, value] of Object.entries(more)) {
    if (typeof value === "number") total[name] = (total[name] ?? 0) + value;
    else add((total[name] ??= {}), value);
  }
}

export class History {
  #points = new Map();
  newest = 0;

  /** @param step Seconds of a point. @param length The most points. */
  constructor(step, length) {
    Object.assign(this, { step, length });
  }

  /** Adds points in any order. The stream and `stats.series` overlap: one of a known time replaces it. */
  add(points) {
    for (const point of points) {
      const slot = Math.floor(point.time / this.step);
      this.#points.set(slot, point);
      this.newest = Math.max(this.newest, slot);
    }
    for (const slot of this.#points.keys()) if (slot <= this.newest - this.length) this.#points.delete(slot);
  }

  /** The points of the latest slots, the oldest first; null where there is none. */
  latest(length = this.length) {
    return Array.from({ length }, (_, at) => this.#points.get(this.newest - length + 1 + at) ?? null);
  }

  /** A value a second for each of the latest slots; null where there is no point. */
  rates(read, length) {
    return this.latest(length).map((point) => point && (read(point.counts) ?? 0) / this.step);
  }

  /** The sums of a member (`counts`, `errors`, `formats`) over the latest slots. */
  sums(member, length) {
    const total = {};
    for (const point of this.latest(length)) add(total, point?.[member]);
    return total;
  }

  /** The phases of the latest slots: p50 and p95 as averages of the points by their counts, p99 the largest of them. */
  phases(length) {
    return phases.map((name) => {
      const found = { name, count: 0, p50: 0, p95: 0, p99: 0 };
      for (const point of this.latest(length)) {
        const { count = 0, p50, p95, p99 } = point?.phases?.[name] ?? {};
        if (!count) continue;
        const share = count / (found.count += count);
        found.p50 += (p50 - found.p50) * share;
        found.p95 += (p95 - found.p95) * share;
        found.p99 = Math.max(found.p99, p99);
      }
      return found;
    });
  }
}
