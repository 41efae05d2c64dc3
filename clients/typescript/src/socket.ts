import type { Address } from "./address.ts";
import { longestTimer } from "./backoff.ts";
import { isCertificateFault, LostWay, TintypeError } from "./errors.ts";

/** The certificates of TLS, as text in PEM. */
export interface TLSOptions {
  /** The authorities that vouch for the coordinator. Default: those of the system. */
  readonly ca?: string;
  /** The certificate of this client, with `key`. */
  readonly cert?: string;
  readonly key?: string;
  /** The name in the certificate of the coordinator. Default: the host of the address. */
  readonly servername?: string;
}

/** The parts of a socket of Node that are used here: Deno and Bun have the same. */
export interface Socket {
  write(text: string): boolean;
  readonly destroyed: boolean;
  destroy(): void;
  ref(): void;
  unref(): void;
  setNoDelay(on: boolean): void;
  setKeepAlive(on: boolean, delay: number): void;
  setTimeout(milliseconds: number): void;
  // deno-lint-ignore no-explicit-any -- the listeners of Node
  on(event: string, listener: (...given: any[]) => void): void;
  removeAllListeners(event?: string): void;
}

interface Sockets {
  connect(options: Record<string, unknown>): Socket;
}

/**
 * Opens a TCP connection, with TLS where the address says so.
 *
 * @param seconds The most seconds for it.
 * @throws LostWay when there is no TCP here, or the coordinator cannot be reached; TintypeError `tls` when its certificate is refused.
 */
export async function connect(to: Address, seconds: number, tls: TLSOptions = {}): Promise<Socket> {
  // The name in a variable keeps bundlers for browsers from looking for the module.
  const module = to.secure ? "node:tls" : "node:net";
  let sockets: Sockets;
  try {
    sockets = await import(module);
  } catch (cause) {
    throw new LostWay(`${to.href}: there is no TCP here, so give an address with http:// or https://`, false, { cause });
  }
  const options: Record<string, unknown> = { host: to.host, port: to.port };
  // A name for TLS is no address (RFC 6066, section 3).
  const servername = tls.servername ?? (/^[\d.]+$|:/.test(to.host) ? undefined : to.host);
  if (to.secure) Object.assign(options, { ca: tls.ca, cert: tls.cert, key: tls.key, servername, ALPNProtocols: [] });
  return await new Promise((resolve, reject) => {
    const socket = sockets.connect(options);
    const fail = (what: string, cause?: unknown) => {
      socket.destroy();
      if (isCertificateFault(cause)) reject(TintypeError.make("tls", `${to.href}: ${what}: name the authority by the option tls`, { retryable: false }));
      else reject(new LostWay(`${to.href}: ${what}`, false, { cause }));
    };
    const timer = setTimeout(() => fail(`no connection within ${seconds} s`), Math.min(seconds * 1000, longestTimer));
    socket.on("error", (error: Error) => {
      clearTimeout(timer);
      fail(error.message, error);
    });
    socket.on("close", () => fail("the connection was closed"));
    socket.on(to.secure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      socket.removeAllListeners("close");
      socket.removeAllListeners("error");
      // A refusal of the certificate may arrive before the connection listens: an error without a listener would end the process.
      socket.on("error", () => {});
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 10_000);
      resolve(socket);
    });
  });
}
