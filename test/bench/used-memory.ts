import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes in use once everything that nobody holds is gone. */
export function usedMemory(): number {
  collectAll();
  return process.memoryUsage().heapUsed;
}

/** The same with what JavaScript holds outside its heap: buffers, and what belongs to sockets. */
export function heldMemory(): number {
  collectAll();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collectAll(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") {
    collect();
    // What the first turn only finalizes goes in the second.
    collect();
  }
}
