// The methods of the coordinator, over HTTP of the same origin. A cookie stands for the token.

/** The error of a method: its name, and `data` with all the rest. */
export class Failure extends Error {
  constructor({ message, data = {} }) {
    super(data.message ?? message);
    Object.assign(this, { name: data.name ?? "internal", data });
  }
}

const headers = { "Content-Type": "application/json" };

async function send(path, options) {
  const response = await fetch(path, options).catch((error) => {
    throw error.name === "AbortError" ? error : new Failure({ data: { name: "unreachable", message: "The coordinator does not answer. The page tries again." } });
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok && !answer.error) return answer;
  const failure = new Failure(answer.error ?? { data: { name: response.status === 401 ? "unauthenticated" : "http", message: `The coordinator answers ${response.status}.` } });
  // The page asks for a token.
  if (failure.name === "unauthenticated" && path !== "/session") dispatchEvent(new Event("unauthenticated"));
  throw failure;
}

/** Calls a method.
 * @throws Failure `unreachable` when no coordinator answers. */
export const call = async (method, params = {}, signal) => (await send("/rpc", { method: "POST", headers, signal, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) })).result;

/** Keeps bytes as a source for a while; the answer has its `url`. */
export const upload = (body) => send("/uploads", { method: "PUT", body });

/** Exchanges a token for the cookie of a session. */
export const signIn = (token) => send("/session", { method: "POST", headers, body: JSON.stringify({ token }) });

export const signOut = () => send("/session", { method: "DELETE" });
