/** The driver of this client for the exchanges that all clients have in common: clients/conformance/README.md says what it is asked for. */
import { type LoadedImage, Tintype, TintypeError } from "../tintype.ts";

// deno-lint-ignore no-explicit-any
type Value = any;

const encoder = new TextEncoder();

function say(id: number, more: object): void {
  let bytes = encoder.encode(`${JSON.stringify({ id, ...more })}\n`);
  while (bytes.length) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
}

function text(event: Value): string {
  return event.type === "rendition" ? `rendition ${event.rendition.name}` : event.type;
}

/** The members of an error under the names of the protocol. */
function described({ name, code, message, retryable, phase, data }: TintypeError): Value {
  return { ...data, name, code, message, retryable, phase };
}

function result(image: LoadedImage): Value {
  return { ...image.result, width: image.renditions.length ? image.width : undefined };
}

/** The image or the error of an item, as a loop and the end of a group have it. */
function outcome(item: Value): Value {
  const error = item.error ?? item.reason;
  return error ? { error: described(error) } : result(item.image ?? item.value ?? item);
}

const clients: Tintype[] = [];
const stops = new Map<number, AbortController>();
const handles = new Map<number, Value>();
let place = {};

/** The arguments of `load` and the like. */
function request({ url, urls, transform, ...options }: Value, signal?: AbortSignal): [Value, Value, Value] {
  return [urls ?? url, transform, signal ? { ...options, signal } : options];
}

function group({ do: word, id, items, options }: Value, signal: AbortSignal): Value {
  const tintype = clients.at(-1)!;
  if (word === "prefetch") {
    const [, transform, more] = request(items[0]);
    return tintype.prefetch(items.map((one: Value) => one.url), transform, { ...more, ...options, signal });
  }
  const task = tintype[word === "chain" ? "chain" : "batch"](items, { ...options, signal });
  handles.set(id, task);
  return task;
}

async function read(id: number, events: AsyncIterable<Value>): Promise<void> {
  for await (const event of events) say(id, { event: text(event) });
  say(id, { event: "end" });
}

async function follow(id: number, task: Value): Promise<Value> {
  handles.set(id, task);
  read(id, task).catch(() => {});
  return result(await task);
}

/** What each word of a line does. */
const words: Record<string, (asked: Value, signal: AbortSignal) => unknown> = {
  client: ({ addresses, options: { silence, connectTimeout, token, tokens, ca, cert, key } }) => {
    const given = tokens ? () => tokens.length === 1 ? tokens[0] : tokens.shift() : token;
    const tls = Object.fromEntries(Object.entries({ ca, cert, key }).flatMap(([name, file]) => file ? [[name, Deno.readTextFileSync(file)]] : []));
    const trusting = Deno.createHttpClient({ caCerts: tls.ca ? [tls.ca] : [], ...tls.key ? { cert: tls.cert!, key: tls.key } : {} });
    const options = { ...given ? { token: given } : {}, heartbeat: silence, connectTimeout, trace: () => place, tls };
    clients.push(new Tintype(addresses, { ...options, fetch: (input, init) => fetch(input, { ...init, client: trusting } as RequestInit) }));
  },
  load: async ({ id, params }, signal) => {
    const image = await clients.at(-1)!.load(...request(params, signal));
    handles.set(id, image);
    return result(image);
  },
  bytes: async ({ of }) => (await handles.get(of).bytes()).length,
  submit: ({ id, params }, signal) => follow(id, clients.at(-1)!.submit(...request(params, signal))),
  task: ({ id, receipt, within }, signal) => follow(id, clients.at(-1)!.task(receipt, { timeout: within, signal })),
  probe: ({ params }) => {
    const [source, , options] = request(params);
    return clients.at(-1)!.probe(source, options);
  },
  call: ({ method, params, within }) => clients.at(-1)!.call(method, params, { timeout: within ?? 30 }),
  batch: async (asked, signal) => ({ results: (await group(asked, signal)).map(outcome) }),
  stream: async (asked, signal) => {
    const results: Value[] = [];
    for await (const item of group(asked, signal)) {
      results[item.index] = outcome(item);
      say(asked.id, { event: "item" });
    }
    return { results };
  },
  chain: async (asked, signal) => ({ results: (await group(asked, signal)).map(outcome) }),
  prefetch: async (asked, signal) => {
    const end = await group(asked, signal);
    return { ...end, errors: Object.fromEntries(end.errors.map(({ index, error }: Value) => [index, described(error)])) };
  },
  act: ({ of, act, value }) => {
    const handle = handles.get(of);
    return act === "state" ? handle.get() : act === "priority" ? handle.setPriority(value) : handle[act]();
  },
  events: async ({ of }) => (await Array.fromAsync(handles.get(of) as AsyncIterable<Value>)).map(text),
  coordinator: () => clients.at(-1)!.address,
  place: (asked) => void (place = asked.place),
  close: () => clients.at(-1)!.close(),
  end: ({ id }) => {
    for (const [other, stop] of stops) if (other !== id) stop.abort();
    for (const client of clients.splice(0)) client.close();
    stops.clear();
    handles.clear();
    place = {};
  },
};

async function take(asked: Value): Promise<void> {
  if (asked.do === "cancel") return stops.get(asked.of)?.abort();
  const stop = new AbortController();
  stops.set(asked.id, stop);
  try {
    say(asked.id, { value: await words[asked.do]!(asked, stop.signal) ?? null });
  } catch (error) {
    if (stop.signal.aborted && error === stop.signal.reason) say(asked.id, { cancelled: true });
    else if (error instanceof TintypeError) say(asked.id, { error: described(error) });
    else say(asked.id, { fault: String(error) });
  }
}

let rest = "";
for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + piece).split("\n");
  rest = lines.pop()!;
  for (const line of lines) void take(JSON.parse(line));
}
Deno.exit();
