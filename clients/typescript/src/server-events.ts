import { Lines } from "./lines.ts";

/** An event of a stream of server-sent events. */
export interface ServerEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** Reads server-sent events (HTML standard, section 9.2) from pieces of bytes. Pure. */
export class ServerEvents {
  #lines = new Lines(64 << 20);
  #id = "";
  #type = "";
  #data: string[] = [];

  /** Returns the events that are whole now. */
  take(bytes: Uint8Array): ServerEvent[] {
    const events: ServerEvent[] = [];
    for (const text of this.#lines.take(bytes)) {
      const line = text.endsWith("\r") ? text.slice(0, -1) : text;
      if (line === "") {
        if (this.#data.length) events.push({ id: this.#id, type: this.#type || "message", data: this.#data.join("\n") });
        this.#type = "";
        this.#data = [];
        continue;
      }
      const colon = line.indexOf(":");
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
      if (field === "data") this.#data.push(value);
      else if (field === "event") this.#type = value;
      else if (field === "id" && !value.includes("\0")) this.#id = value;
    }
    return events;
  }
}
