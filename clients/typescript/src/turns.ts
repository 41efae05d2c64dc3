/** Lets a limited number of holders in at once; the others wait in their order. */
export class Turns {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /**
   * Waits for a place.
   *
   * @returns A function that gives the place back.
   * @throws the reason of the signal.
   */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else {
      await new Promise<void>((resolve, reject) => {
        const enter = () => {
          signal?.removeEventListener("abort", leave);
          resolve();
        };
        const leave = () => {
          this.#waiting.splice(this.#waiting.indexOf(enter), 1);
          reject(signal?.reason);
        };
        signal?.addEventListener("abort", leave, { once: true });
        this.#waiting.push(enter);
      });
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}
