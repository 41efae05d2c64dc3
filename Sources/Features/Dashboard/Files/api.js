// The methods of the coordinator, over HTTP of the same origin. A cookie stands for the token.

async function send(path, method, body, signal) {
  const fail = (name, message) => { throw Object.assign(new Error(message), { name }); };
  const response = await fetch(path, { method, body, signal, headers: method === "POST" ? { "Content-Type": "application/json" } : {} })
    .catch(({ name }) => fail(name === "AbortError" ? name : "unreachable", "The coordinator does not answer. The page tries again."));
  const answer = await response.json().catch(() => ({}));
  if (response.ok && !answer.error) return answer;
  const { message = `The coordinator answers ${response.status}.`, data: { name } = { name: response.status === 401 ? "unauthenticated" : "http" } } = answer.error ?? {};
  // The page asks for a token.
  if (name === "unauthenticated" && path !== "/session") dispatchEvent(new Event(name));
  fail(name, message);
}

/** Calls a method. @throws An error with the `name` of the glossary. */
export const call = async (method, params = {}, signal = []) => (await send("/rpc", "POST", JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), AbortSignal.any([AbortSignal.timeout(6e4)].concat(signal)))).result;

/** Loads a picture for the page itself: lists of pictures and failures leave out this tag. */
export const load = (params, signal) => call("image.load", { ...params, activity: false, tag: "dashboard" }, signal);

/** Keeps bytes as a source for a while; the answer has its `url`. */
export const upload = (file) => send("/uploads", "PUT", file);

/** Exchanges a token for the cookie of a session. */
export const signIn = (token) => send("/session", "POST", JSON.stringify({ token }));
export const signOut = () => send("/session", "DELETE");

/** The path that serves a result. Looking at it does not put it among the results in memory. */
export const imagePath = (key) => `/images/${encodeURIComponent(key)}?memory=no`;
