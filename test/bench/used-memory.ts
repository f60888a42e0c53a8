import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes in use once everything that nobody holds is gone. */
export function usedMemory(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") {
    collect();
    // What the first turn only finalizes goes in the second.
    collect();
  }
  return process.memoryUsage().heapUsed;
}
