import type { RenditionInfo } from "./generated.ts";

/** A receipt that is followed. */
export interface Followed {
  readonly receipt: string;
  /** The request with this receipt; nothing for a receipt that was submitted before, perhaps by another client. */
  readonly request?: object & { readonly deliver?: string; readonly as?: string };
}

/** A connection to the service, over TCP or HTTP. It finds another coordinator by itself, and repeats what may be repeated. */
export interface Transport {
  /** The address of the coordinator in use. */
  readonly address: string;

  /**
   * Calls a method.
   *
   * @param until When it is given up, by `performance.now()`.
   */
  call(method: string, params: object, until: number, signal?: AbortSignal): Promise<unknown>;

  /**
   * Submits a request that has a receipt of its own, or takes up a receipt, and takes it up again after each lost connection, until it ends.
   *
   * @param sink Takes each event once. A `gap` says that some are missing.
   * @returns The terminal event.
   */
  follow(
    work: Followed,
    sink: (event: WireEvent) => void,
    until: number,
    signal: AbortSignal,
  ): Promise<WireEvent>;

  /** Watches the terminal events of a queue, without an end. */
  watch(queue: string, signal: AbortSignal): AsyncIterable<WireEvent>;

  /** Reads the bytes of a rendition, or of a preview by its key. */
  bytes(rendition: Pick<RenditionInfo, "key" | "url">, signal?: AbortSignal): Promise<Bytes>;

  close(): void;
}

/** The bytes of a result, and their media type. */
export interface Bytes {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** The media type of bytes that nothing is known of. */
export const unknownType = "application/octet-stream";

/** An event as the service sends it. */
export interface WireEvent {
  readonly type: string;
  readonly receipt?: string;
  readonly seq?: number;
  readonly [name: string]: unknown;
}

/** Whether it is the last event of a receipt. */
export function isTerminal(event: WireEvent): boolean {
  return event.type === "succeeded" || event.type === "failed" || event.type === "cancelled";
}
