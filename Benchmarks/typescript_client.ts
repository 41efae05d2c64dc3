/**
 * Cached loads through the client for TypeScript, over one TCP connection.
 *
 *     typescript_client.ts COORDINATOR URL SECONDS
 *
 * Prints a row for 1 and 64 in flight, and the CPU that the client took for a load.
 */
import process from "node:process";
import { resize, Tintype } from "../clients/typescript/tintype.ts";

async function measure(tintype: Tintype, source: string, flight: number, seconds: number): Promise<void> {
  const transform = [resize(160)];
  const times: number[] = [];
  const end = performance.now() + 1000 * seconds;
  const oneAfterTheOther = async () => {
    for (;;) {
      const begun = performance.now();
      if (begun >= end) return;
      await tintype.load(source, transform, { format: "jpeg" });
      times.push(performance.now() - begun);
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: flight }, oneAfterTheOther));
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((part) => times[Math.floor(times.length * part)]!.toFixed(2));
  const name = `the TypeScript client, 1 connection × ${flight} in flight, ${((user + system) / times.length).toFixed(0)} µs of its CPU a load`;
  console.log(`| ${name} | ${Math.round(times.length / seconds)} | ${p50} | ${p99} |`);
}

const [coordinator, source, seconds] = Deno.args;
await using tintype = new Tintype(`tcp://${coordinator}`);
await tintype.load(source!, [resize(160)], { format: "jpeg" });
for (const flight of [1, 64]) await measure(tintype, source!, flight, Number(seconds));
