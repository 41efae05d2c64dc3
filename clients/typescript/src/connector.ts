import type { Address } from "./address.ts";
import { Backoff, longestTimer, pause } from "./backoff.ts";
import { Connection } from "./connection.ts";
import { LostWay, TintypeError } from "./errors.ts";
import { connect, type TLSOptions } from "./socket.ts";

/** A token, or a function that returns the current one. */
export type Token = string | (() => string | Promise<string>);

export interface ConnectorOptions {
  readonly token?: Token;
  readonly tls?: TLSOptions;
  readonly connectTimeout: number;
  readonly heartbeat: number;
}

/** Keeps one connection to one of several coordinators. When it is lost, the next address is tried, and after a round of all a pause is made. */
export class Connector {
  #next = 0;
  #live?: Connection;
  /** Those that wait for a connection. */
  #waiting = new Set<{ resolve(to: Connection): void; reject(error: unknown): void }>();
  #isConnecting = false;
  #failure?: unknown;
  #closed = new AbortController();

  constructor(readonly all: readonly Address[], readonly options: ConnectorOptions) {}

  /** The connection that is open; nothing while there is none. */
  get live(): Connection | undefined {
    return this.#live;
  }

  /** The address in use, or the next one. */
  get address(): string {
    return this.#live?.name ?? this.all[this.#next]!.href;
  }

  /**
   * Returns the open connection, or waits for one.
   *
   * @throws LostWay when there is none until then; TintypeError when all refuse the token, or have wrong certificates; the reason of the signal.
   */
  connection(until: number, signal?: AbortSignal): Promise<Connection> {
    if (this.#live) return Promise.resolve(this.#live);
    if (this.#closed.signal.aborted) return Promise.reject(closed());
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#waiting.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      const waiter = {
        resolve: (to: Connection) => (done(), resolve(to)),
        reject: (error: unknown) => (done(), reject(error)),
      };
      const abort = () => waiter.reject(signal?.reason);
      const timer = setTimeout(() => {
        const names = this.all.map((one) => one.href).join(", ");
        waiter.reject(
          new LostWay(`no coordinator can be reached at ${names}; the last failure: ${reason(this.#failure)}`, false, { cause: this.#failure }),
        );
      }, Math.min(Math.max(0, until - performance.now()), longestTimer));
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.add(waiter);
      void this.#connect();
    });
  }

  /** Leaves a coordinator that is stopping. What waits for its answers goes on there; everything new goes to the next one. */
  leave(connection: Connection): void {
    if (this.#live !== connection) return;
    this.#lose(connection);
    connection.leave();
  }

  close(): void {
    this.#closed.abort(closed());
    this.#live?.end("the client was closed");
    this.#live = undefined;
    for (const waiter of this.#waiting) waiter.reject(closed());
  }

  /** Tries the addresses while somebody waits. */
  async #connect(): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    const backoff = new Backoff();
    // A wrong token or certificate of one coordinator says nothing about the others.
    let refusals: TintypeError[] = [];
    try {
      for (let tries = 1; this.#waiting.size; tries++) {
        const to = this.all[this.#next]!;
        try {
          const connection = await this.#open(to);
          if (this.#closed.signal.aborted) return connection.end("the client was closed");
          this.#live = connection;
          void connection.closed.then(() => this.#lose(connection));
          for (const waiter of this.#waiting) waiter.resolve(connection);
          return;
        } catch (error) {
          this.#failure = error;
          if (error instanceof TintypeError && (!error.retryable || error.data.limit === "wrongTokens")) refusals.push(error);
          this.#next = (this.#next + 1) % this.all.length;
          if (tries % this.all.length > 0) continue;
          if (refusals.length === this.all.length) {
            for (const waiter of this.#waiting) waiter.reject(refusals[0]);
            return;
          }
          refusals = [];
          await pause(backoff.next(), this.#closed.signal).catch(() => {});
        }
      }
    } finally {
      this.#isConnecting = false;
    }
  }

  async #open(to: Address): Promise<Connection> {
    const { token, tls, connectTimeout, heartbeat } = this.options;
    const connection = new Connection(await connect(to, connectTimeout, tls), to.href, heartbeat);
    if (token === undefined) return connection;
    try {
      const until = performance.now() + connectTimeout * 1000;
      await connection.call("session.authenticate", { token: typeof token === "string" ? token : await token() }, until);
      return connection;
    } catch (error) {
      connection.end("the token was refused");
      throw error;
    }
  }

  #lose(connection: Connection): void {
    if (this.#live !== connection) return;
    this.#live = undefined;
    this.#next = (this.#next + 1) % this.all.length;
  }
}

/** The error of calls to a client that was closed. */
export function closed(): TintypeError {
  return TintypeError.make("cancelled", "the client was closed", { reason: "closed" });
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : "none yet";
}
