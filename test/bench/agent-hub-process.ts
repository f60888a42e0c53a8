import { createInterface } from "node:readline";
import { fleetNames } from "./agent-folders.ts";
import { BenchHub } from "./agent-hub.ts";
import { heldMemory } from "./used-memory.ts";

/**
 * `agent-hub-process.ts FOLDER ROOT COUNT`: the server's side of so many agents, whose data folders are made in ROOT. Prints its address.
 * Each line of input is answered with the memory that has been added since before the agents were read, and the number of connected
 * agents.
 */
const [folder = "", root = "", count = ""] = process.argv.slice(2);
let before = 0;
const loaded = () => {
  before = heldMemory();
};
const { hub, url } = await BenchHub.open({ folder, fleet: { names: fleetNames(Number(count)), root }, loaded });
print({ url });
for await (const _ of createInterface({ input: process.stdin })) print({ bytes: heldMemory() - before, connected: hub.connected });

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
