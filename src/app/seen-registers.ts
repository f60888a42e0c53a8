import { wallAsUtcMs } from "../kernel/moment.ts";
import type { Reserves } from "../model/foresight.ts";
import type { Seen } from "../registers/rack.ts";
import type { SeenRegister } from "./metrics.ts";

/** What the metrics tell of the registers: from memory, with its age. */
export function seenRegisters(seen: readonly Seen[], nowMs: number): SeenRegister[] {
  return seen.map(({ address, state, clock, unreachable }) => ({
    register: address,
    ageSeconds: state === undefined ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - state.atMs) / 1000,
    reachable: unreachable === undefined,
    shift: state === undefined ? "unknown" : shiftWord(state.value.shift),
    paper: state?.value.paper ?? "unknown",
    unsent: state?.value.queue.unsent ?? 0,
    lastDocumentNumber: state?.value.lastDocumentNumber ?? 0,
    reserves: reservesOf({ ...(state === undefined ? {} : { state }), ...(clock === undefined ? {} : { clock }) }, nowMs),
  }));
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * What the register has left. Time alone ends the drive's keys and the shift, so these go on from when they were
 * seen; a queue is sent and a clock set while nobody looks, so these stay as they were.
 */
function reservesOf({ state, clock }: Pick<Seen, "state" | "clock">, nowMs: number): Reserves {
  if (state === undefined || clock === undefined) return {};
  const { shift, queue, drive } = state.value;
  const seenMs = wallAsUtcMs(clock.device);
  const deviceMs = seenMs + Math.max(0, nowMs - clock.atMs);
  const { keysExpireSoon, keysExpireNow, memoryFull, operatorTimeout } = drive.warnings;
  // A report that was not found leaves the shift without a beginning.
  const shiftKnown = shift.kind === "closed" || shift.openedAt !== "";
  return {
    keysExpireSoon,
    keysExpireNow,
    memoryFull,
    operatorTimeout,
    unsent: queue.unsent,
    shiftExpired: shift.kind === "open" && shift.expired,
    clockAheadMinutes: (seenMs - wallAsUtcMs(clock.ours)) / MINUTE_MS,
    ...(drive.keysUntil === undefined ? {} : { keyDays: (wallAsUtcMs(drive.keysUntil) - deviceMs) / DAY_MS }),
    ...(drive.documentsLeft === undefined ? {} : { documentsLeft: drive.documentsLeft }),
    ...(queue.unsent === 0 ? { queueDays: 0 } : {}),
    ...(queue.since === undefined ? {} : { queueDays: Math.max(0, seenMs - wallAsUtcMs(queue.since)) / DAY_MS }),
    ...(shiftKnown ? { shiftHours: shift.kind === "closed" ? 0 : Math.max(0, deviceMs - wallAsUtcMs(shift.openedAt)) / HOUR_MS } : {}),
  };
}

function shiftWord(shift: NonNullable<Seen["state"]>["value"]["shift"]): SeenRegister["shift"] {
  if (shift.kind === "closed") return "closed";
  return shift.expired ? "expired" : "open";
}
