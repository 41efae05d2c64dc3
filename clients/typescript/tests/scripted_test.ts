import { deepStrictEqual as same, rejects } from "node:assert";
import { Tintype } from "../tintype.ts";
import { until } from "./service.ts";

interface Message {
  readonly id: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** One connection of a client. */
interface Peer {
  readonly number: number;
  answer(message: Message, result: unknown): void;
  cut(): void;
}

/** A coordinator that says exactly what a test wants, at the moment that the test wants. */
class Coordinator {
  readonly messages: Message[] = [];
  readonly peers: Peer[] = [];
  #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });

  constructor(script: (peer: Peer, message: Message) => void) {
    (async () => {
      for await (const connection of this.#listener) this.#serve(connection, script).catch(() => {});
    })().catch(() => {});
  }

  get address(): string {
    return `tcp://127.0.0.1:${(this.#listener.addr as Deno.NetAddr).port}`;
  }

  asked(method: string): Message[] {
    return this.messages.filter((message) => message.method === method);
  }

  close(): void {
    this.#listener.close();
    for (const peer of this.peers) peer.cut();
  }

  async #serve(connection: Deno.Conn, script: (peer: Peer, message: Message) => void): Promise<void> {
    let isCut = false;
    const peer: Peer = {
      number: this.peers.length + 1,
      answer: ({ id }, result) => void connection.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`)).catch(() => {}),
      cut: () => {
        if (!isCut) connection.close();
        isCut = true;
      },
    };
    this.peers.push(peer);
    let text = "";
    for await (const bytes of connection.readable) {
      const lines = (text + new TextDecoder().decode(bytes)).split("\n");
      text = lines.pop()!;
      for (const line of lines) {
        const message = JSON.parse(line) as Message;
        this.messages.push(message);
        script(peer, message);
      }
    }
  }
}

function scripted(name: string, test: () => Promise<void>): void {
  Deno.test({ name, sanitizeOps: false, sanitizeResources: false, fn: test });
}

scripted("a load that is aborted between two connections is withdrawn on the next", async () => {
  let greeting: [Peer, Message] | undefined;
  const coordinator = new Coordinator((peer, message) => {
    if (message.method === "image.load") peer.cut();
    else if (peer.number === 2 && !greeting) greeting = [peer, message];
    else peer.answer(message, { cancelled: true });
  });
  await using tintype = new Tintype(coordinator.address, { token: "t", connectTimeout: 60 });
  const stop = new AbortController();
  const load = tintype.load("http://h/", undefined, { receipt: "mine", signal: stop.signal });
  await until("the second connection", () => greeting !== undefined);
  stop.abort(new Error("enough"));
  await rejects(load, /enough/);
  greeting![0].answer(greeting![1], {});
  await until("the withdrawal", () => coordinator.asked("receipt.cancel").length > 0);
  same(coordinator.asked("receipt.cancel").map((message) => message.params), [{ receipt: "mine" }]);
  same(coordinator.asked("image.load").length, 1);
  coordinator.close();
});

scripted("withdrawals without an answer are bounded", async () => {
  const coordinator = new Coordinator(() => {});
  await using tintype = new Tintype(coordinator.address);
  const loads = Array.from({ length: 1100 }, () => {
    const stop = new AbortController();
    const load = tintype.load("http://h/", undefined, { receipt: "mine", signal: stop.signal }).catch(() => {});
    return { load, stop };
  });
  await until("the loads", () => coordinator.asked("image.load").length >= 900);
  for (const { stop } of loads) stop.abort();
  await Promise.all(loads.map(({ load }) => load));
  // What is sent later comes behind them.
  tintype.call("receipt.cancel", { receipt: "last" }).catch(() => {});
  await until("the last call", () => coordinator.asked("receipt.cancel").some((message) => message.params.receipt === "last"));
  same(coordinator.asked("receipt.cancel").filter((message) => message.params.receipt === "mine").length, 1000);
  coordinator.close();
});

for (
  const [method, begin] of [
    ["batch.start", (tintype: Tintype) => tintype.batch([{ url: "http://h/" }]).ended],
    ["prefetch.start", (tintype: Tintype) => tintype.prefetch(["http://h/"]).ended],
    ["chain.start", (tintype: Tintype) => tintype.chain([{ url: "http://h/" }]).ended],
  ] as const
) {
  scripted(`${method} is not sent twice after a lost answer`, async () => {
    const coordinator = new Coordinator((peer) => peer.cut());
    await using tintype = new Tintype(coordinator.address);
    await rejects(begin(tintype), { name: "connectionLost" });
    same(coordinator.asked(method).length, 1);
    coordinator.close();
  });
}
