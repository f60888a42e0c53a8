import { type WallTime, wallAsUtcMs } from "../../kernel/moment.ts";
import type { DriveWarnings } from "../../model/facts.ts";
import type { DeviceMemory } from "./memory.ts";
import type { Conditions } from "./rules.ts";

const DAY_MS = 86_400_000;
/** Limits of tags 1050 and 1051 (fiscal-receipts 1.5). */
const EXPIRE_SOON_DAYS = 30;
const EXPIRE_NOW_DAYS = 3;
/** Limit of tag 1052. */
const MEMORY_FULL_SHARE = 0.99;
/** Limit of tag 1053. */
const OPERATOR_LIMIT_MS = 2 * DAY_MS;

/** Returns the warnings of shift reports and of the state. */
export function warningsOf(memory: DeviceMemory, { now, keyDays, memoryUsed, operatorMessage }: Conditions): DriveWarnings {
  const { since } = memory.unsent;
  return {
    keysExpireSoon: keyDays < EXPIRE_SOON_DAYS,
    keysExpireNow: keyDays < EXPIRE_NOW_DAYS,
    memoryFull: memoryUsed >= MEMORY_FULL_SHARE,
    operatorTimeout: since !== undefined && wallAsUtcMs(now) - wallAsUtcMs(since) > OPERATOR_LIMIT_MS,
    operatorMessage,
  };
}

/** Returns how many documents still fit into the drive. */
export function documentsLeft({ capacity }: DeviceMemory, { memoryUsed }: Pick<Conditions, "memoryUsed">): number {
  return Math.max(0, Math.round(capacity * (1 - memoryUsed)));
}

/** Returns the whole days until the moment; 0 when it has passed. */
export function daysUntil(moment: WallTime, now: WallTime): number {
  return Math.max(0, Math.floor((wallAsUtcMs(moment) - wallAsUtcMs(now)) / DAY_MS));
}
