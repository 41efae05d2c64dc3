/** Cuts a stream of bytes into lines of UTF-8. A line may come in many pieces: each is looked at once. */
export class Lines {
  #decoder = new TextDecoder();
  #parts: string[] = [];
  #length = 0;

  /** @param most The most characters of a line. */
  constructor(readonly most: number) {}

  /**
   * Returns the lines that have ended.
   *
   * @throws RangeError when a line is too long.
   */
  take(bytes: Uint8Array): string[] {
    const lines = this.#decoder.decode(bytes, { stream: true }).split("\n");
    const rest = lines.pop() ?? "";
    if (lines.length && this.#parts.length) {
      lines[0] = this.#parts.join("") + lines[0];
      this.#parts = [];
      this.#length = 0;
    }
    if (rest) {
      this.#parts.push(rest);
      this.#length += rest.length;
      if (this.#length > this.most) throw new RangeError(`a line has more than ${this.most} characters`);
    }
    return lines;
  }
}
