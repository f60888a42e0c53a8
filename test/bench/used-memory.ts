import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The number of used bytes after all garbage was collected. */
export function usedMemory(): number {
  collectAll();
  return process.memoryUsage().heapUsed;
}

/** The bytes of `usedMemory`, and the memory of JavaScript outside its heap: buffers and sockets. */
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
    // Objects that the first turn finalizes are collected in the second.
    collect();
  }
}
