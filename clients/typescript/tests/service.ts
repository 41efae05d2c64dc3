/** Real processes for the tests: Redis, coordinators, workers and the origin that misbehaves on request. */

/** The folder of the programs of a build. */
export const programs = Deno.env.get("TINTYPE_PROGRAMS") ?? new URL("../../../.build/debug", import.meta.url).pathname;

/** A process with a line that says where it listens. */
export class Program {
  readonly child: Deno.ChildProcess;
  #status: Promise<Deno.CommandStatus>;
  /** The words of the line `ready`. */
  words: Record<string, string> = {};

  private constructor(readonly command: string, args: string[], env: Record<string, string>) {
    this.child = new Deno.Command(command, { args, env, stdin: "null", stdout: "piped", stderr: Deno.env.get("SHOW") ? "inherit" : "null" }).spawn();
    this.#status = this.child.status;
  }

  static async start(command: string, args: string[], env: Record<string, string> = {}): Promise<Program> {
    const program = new Program(command.startsWith("/") || command === "redis-server" ? command : `${programs}/${command}`, args, env);
    let text = "";
    const reader = program.child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    while (!/^ready .*\n/m.test(text) && !/ready to accept connections/i.test(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`${command} has ended early: ${text}`);
      text += value;
    }
    // Nobody reads the rest, but the pipe must not fill up.
    (async () => {
      while (!(await reader.read()).done);
    })();
    for (const [, name, value] of text.matchAll(/\b(\w+)=(\S+)/g)) program.words[name!] ??= value!;
    return program;
  }

  send(signal: Deno.Signal): void {
    this.child.kill(signal);
  }

  async kill(signal: Deno.Signal = "SIGKILL"): Promise<void> {
    try {
      this.child.kill(signal);
      // One that stands still does not see SIGTERM.
      if (signal !== "SIGKILL") this.child.kill("SIGCONT");
    } catch {
      // It is gone already.
    }
    await this.#status;
  }
}

export interface ServiceOptions {
  readonly coordinators?: number;
  readonly workers?: number;
  readonly coordinatorArguments?: string[];
  readonly workerArguments?: string[];
}

export class Service {
  readonly coordinators: Program[] = [];
  readonly workers: Program[] = [];
  origin!: Program;
  #redis!: Program;
  #folder!: string;
  #n = 0;

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const service = new Service();
    service.#folder = await Deno.makeTempDir({ prefix: "tintype-" });
    const socket = `${service.#folder}/redis.sock`;
    [service.origin, service.#redis] = await Promise.all([
      Program.start("origin", []),
      Program.start("redis-server", [
        "--port",
        "0",
        "--unixsocket",
        socket,
        "--save",
        "",
        "--appendonly",
        "no",
        "--dir",
        service.#folder,
        "--maxmemory-policy",
        "noeviction",
      ]),
    ]);
    await Promise.all(Array.from({ length: options.coordinators ?? 1 }, () => service.coordinator(options.coordinatorArguments)));
    await Promise.all(Array.from({ length: options.workers ?? 1 }, () => service.worker(options.workerArguments)));
    return service;
  }

  get #stores(): string[] {
    return [
      "--redis",
      `unix://${this.#folder}/redis.sock`,
      "--results",
      `file://${this.#folder}/results`,
      "--log-level",
      Deno.env.get("SHOW") ? "info" : "error",
    ];
  }

  /** Starts one more coordinator; at the ports of an old one, if there is one. */
  async coordinator(more: string[] = [], old?: Program): Promise<Program> {
    const places = ["--listen", old?.words.rpc ?? "127.0.0.1:0", "--http", old?.words.http ?? "127.0.0.1:0"];
    const program = await Program.start("tintype-coordinator", [...this.#stores, ...places, ...more]);
    if (old) this.coordinators[this.coordinators.indexOf(old)] = program;
    else this.coordinators.push(program);
    return program;
  }

  async worker(more: string[] = []): Promise<Program> {
    const program = await Program.start("tintype-worker", [...this.#stores, "--allow-addresses", "127.0.0.0/8", ...more]);
    this.workers.push(program);
    return program;
  }

  /** A picture of the origin under a URL that nobody has asked for. */
  picture(path = "/picture.png?size=240x180"): string {
    return `http://${this.origin.words.http}${path}${path.includes("?") ? "&" : "?"}n=${++this.#n}`;
  }

  tcp(index = 0): string {
    return `tcp://${this.coordinators[index]!.words.rpc}`;
  }

  http(index = 0): string {
    return `http://${this.coordinators[index]!.words.http}`;
  }

  images(index = 0): string {
    return `http://${this.coordinators[index]!.words.images}`;
  }

  /** How often the origin was asked for a URL. */
  async asked(url: string): Promise<number> {
    const { counts } = await this.#ask("/_counts") as { counts: Record<string, number> };
    const { pathname, search } = new URL(url);
    return counts[pathname + search] ?? 0;
  }

  /** Lets one request at a gate of the origin pass, as soon as it is there. */
  async open(gate: string): Promise<void> {
    await until(`a request at the gate ${gate}`, async () => await this.#ask(`/_open?gate=${gate}`) !== undefined);
  }

  async #ask(path: string): Promise<unknown> {
    const answer = await fetch(`http://${this.origin.words.http}${path}`);
    const text = await answer.text();
    return answer.ok ? text && text.startsWith("{") ? JSON.parse(text) : text : undefined;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.workers, ...this.coordinators].map((one) => one.kill("SIGKILL")));
    await Promise.all([this.origin.kill(), this.#redis.kill()]);
    await Deno.remove(this.#folder, { recursive: true });
  }
}

/** Waits for a condition. The time only bounds how long a mistake takes. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!await condition()) {
    if (performance.now() > end) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Runs tests against one service, which they share. */
export function suite(options: ServiceOptions, tests: Record<string, (service: Service) => Promise<void>>): void {
  let started: Promise<Service> | undefined;
  Deno.test.beforeAll(async () => {
    started ??= Service.start(options);
    await started;
  });
  Deno.test.afterAll(async () => await (await started)?.stop());
  for (const [name, test] of Object.entries(tests)) {
    Deno.test({
      name,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => await test(await started!),
    });
  }
}
