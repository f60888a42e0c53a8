import { saveMemory } from "../../src/app/memory.ts";

/** The number of living objects at any moment. They are replaced one by one, like the connections of a flood. */
const LIVING = 400_000;
const CHANGES = 3_000_000;
const LOOK_EVERY = 5_000;

/**
 * Prints by how much the heap is larger than the living objects. For each argument `saveMemory` is called before: with true for the
 * argument `crowded`, with false for any other.
 */
for (const word of process.argv.slice(2)) saveMemory(word === "crowded");
const living: object[] = [];
for (let at = 0; at < LIVING; at += 1) living.push({ at, text: `object ${at}` });
globalThis.gc?.();
const leastBytes = process.memoryUsage().heapUsed;
let mostBytes = 0;
for (let at = 0; at < CHANGES; at += 1) {
  living[at % LIVING] = { at, text: `object ${at}` };
  if (at % LOOK_EVERY === 0) mostBytes = Math.max(mostBytes, process.memoryUsage().heapUsed);
}
process.stdout.write(String(mostBytes - leastBytes));
