/** The address of a coordinator. */
export interface Address {
  readonly kind: "tcp" | "http";
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** The URL as it was given, without a slash at its end. */
  readonly href: string;
}

/**
 * Reads the address of a coordinator: `tcp://HOST:7411`, `tls://HOST:7411`, `http://HOST:7412` or `https://HOST`.
 * In a page, a path such as `/` means the server of the page.
 *
 * @throws TypeError when the text is none of these, or has a user or a password.
 */
export function address(text: string | URL): Address {
  const wanted = "tcp://HOST:PORT, tls://HOST:PORT, http://HOST:PORT or https://HOST";
  let url: URL;
  try {
    url = new URL(text, globalThis.location?.href);
  } catch {
    throw new TypeError(`"${text}" is no address of a coordinator: give ${wanted}`);
  }
  if (url.username || url.password) throw new TypeError(`the address ${url.host} has a user or a password: give the token as an option`);
  const [kind, secure] = ({ "tcp:": ["tcp", false], "tls:": ["tcp", true], "http:": ["http", false], "https:": ["http", true] } as const)[url.protocol] ?? [];
  if (!kind || !url.hostname || (kind === "tcp" && !/^\/?$/.test(url.pathname)) || url.search || url.hash) {
    throw new TypeError(`"${text}" is no address of a coordinator: give ${wanted}`);
  }
  const port = url.port ? Number(url.port) : kind === "tcp" ? 7411 : secure ? 443 : 80;
  // The brackets of an IPv6 address belong to the URL.
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return { kind, secure, host, port, href: url.href.replace(/\/+$/, "") };
}

/**
 * Reads several addresses of one kind, in a chance order, so that many clients use all coordinators.
 *
 * @throws TypeError when there is none, or TCP and HTTP are mixed.
 */
export function addresses(all: string | URL | readonly (string | URL)[], random: () => number = Math.random): Address[] {
  const list = (Array.isArray(all) ? all : [all]).map(address);
  if (!list.length) throw new TypeError("no address of a coordinator is given");
  if (new Set(list.map((one) => one.kind)).size > 1) throw new TypeError("give addresses of one kind: tcp:// and tls://, or http:// and https://");
  const first = Math.floor(random() * list.length);
  return [...list.slice(first), ...list.slice(0, first)];
}
