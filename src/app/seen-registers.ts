import type { Seen } from "../registers/rack.ts";
import type { SeenRegister } from "./metrics.ts";

/** What the metrics tell of the registers: from memory, with its age. */
export function seenRegisters(seen: readonly Seen[], nowMs: number): SeenRegister[] {
  return seen.map(({ address, state, unreachable }) => ({
    register: address,
    ageSeconds: state === undefined ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - state.atMs) / 1000,
    reachable: unreachable === undefined,
    shift: state === undefined ? "unknown" : shiftWord(state.value.shift),
    paper: state?.value.paper ?? "unknown",
    unsent: state?.value.queue.unsent ?? 0,
    lastDocumentNumber: state?.value.lastDocumentNumber ?? 0,
  }));
}

function shiftWord(shift: NonNullable<Seen["state"]>["value"]["shift"]): SeenRegister["shift"] {
  if (shift.kind === "closed") return "closed";
  return shift.expired ? "expired" : "open";
}
