import { wallAsUtcMs } from "../kernel/moment.ts";
import { present } from "../kernel/present.ts";
import { type Concern, clockBehindOf, concernsOf, type Reserves } from "../model/concerns.ts";
import type { RegisterState } from "../registers/register.ts";
import type { Seen } from "../registers/watched-register.ts";
import type { SeenRegister } from "./metrics.ts";

/** Returns the last known state of the registers, with its age, for the metrics. */
export function seenRegisters(seen: readonly Seen[], nowMs: number): SeenRegister[] {
  return seen.map(({ address, state, clock, unreachable }) => ({
    register: address,
    ageSeconds: state === undefined ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - state.atMs) / 1000,
    reachable: unreachable === undefined,
    shift: state === undefined ? "unknown" : shiftWord(state.value.shift),
    paper: state?.value.paper ?? "unknown",
    unsent: state?.value.queue.unsent ?? 0,
    lastDocumentNumber: state?.value.lastDocumentNumber ?? 0,
    reserves: seenReserves({ ...present({ state, clock }) }, nowMs),
  }));
}

/** Returns what stops a register now or will stop it soon, by its last answers. */
export function seenConcerns(seen: Pick<Seen, "state" | "clock">, nowMs: number): Concern[] {
  return concernsOf(seenReserves(seen, nowMs));
}

/** Returns a register's reserves, by its last answers. Nothing is known of a register that has not answered. */
export function seenReserves({ state, clock }: Pick<Seen, "state" | "clock">, nowMs: number): Reserves {
  return state === undefined || clock === undefined ? {} : reservesOf(state.value, clock, nowMs);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Returns the reserves of the register. The keys' remaining time and the shift's age change by time alone, so they are computed for now.
 * The values of the queue and the clock stay as seen.
 */
function reservesOf(state: RegisterState, clock: NonNullable<Seen["clock"]>, nowMs: number): Reserves {
  const { shift, queue, drive, paper, paperEndedWithin = false, coverOpen = false } = state;
  const seenMs = wallAsUtcMs(clock.device);
  const deviceMs = seenMs + Math.max(0, nowMs - clock.atMs);
  const { keysExpireSoon, keysExpireNow, memoryFull, operatorTimeout } = drive.warnings;
  // If the report that opened the shift was not found, the shift's beginning is unknown.
  const shiftKnown = shift.kind === "closed" || shift.openedAt !== "";
  return {
    keysExpireSoon,
    keysExpireNow,
    memoryFull,
    operatorTimeout,
    unsent: queue.unsent,
    shiftExpired: shift.kind === "open" && shift.expired,
    clockAheadMinutes: (seenMs - wallAsUtcMs(clock.ours)) / MINUTE_MS,
    zoneKnown: clock.zoneKnown,
    drivePhase: drive.phase,
    coverOpen,
    ...(paperEndedWithin ? { paper: "ended-within" as const } : paper === "unknown" ? {} : { paper }),
    ...(clock.last === undefined ? {} : clockBehindOf(clock.device, clock.last)),
    ...(drive.keysUntil === undefined ? {} : { keyDays: (wallAsUtcMs(drive.keysUntil) - deviceMs) / DAY_MS }),
    ...present({ documentsLeft: drive.documentsLeft }),
    ...(queue.unsent === 0 ? { queueDays: 0 } : {}),
    ...(queue.since === undefined ? {} : { queueDays: Math.max(0, seenMs - wallAsUtcMs(queue.since)) / DAY_MS }),
    ...(shiftKnown ? { shiftHours: shift.kind === "closed" ? 0 : Math.max(0, deviceMs - wallAsUtcMs(shift.openedAt)) / HOUR_MS } : {}),
  };
}

function shiftWord(shift: NonNullable<Seen["state"]>["value"]["shift"]): SeenRegister["shift"] {
  if (shift.kind === "closed") return "closed";
  return shift.expired ? "expired" : "open";
}
