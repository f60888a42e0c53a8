import { saveMemory } from "../../src/app/memory.ts";

/** Objects that live while as many come and go, as connections of a flood do. */
const LIVING = 400_000;
const CHANGES = 3_000_000;
const LOOK_EVERY = 5_000;

/** Prints by how much the heap exceeds what lives. The arguments: what is said of the crowd before, one word after the other. */
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
