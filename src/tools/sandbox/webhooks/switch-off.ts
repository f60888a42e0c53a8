import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../../kernel/clock.ts";
import type { Log } from "../../../kernel/log.ts";
import { present } from "../../../kernel/present.ts";
import type { Account } from "../account/account.ts";
import { dayNumber } from "../values/datetime.ts";
import type { Reference, Stored, Values } from "../values/stored.ts";
import { loggedAs } from "./delivery.ts";

/**
 * A webhook is disabled if its receiver failed on more than `MAX_FAILED_DAYS` of the last `JUDGED_DAYS` days and never succeeded in them
 * (json-api 9.3).
 */
const MAX_FAILED_DAYS = 7;
const JUDGED_DAYS = 10;

/** The results of a webhook's receiver, as day numbers of `dayNumber`. */
export interface ReceiverHealth {
  /** Days with a dropped notification, in the last ten days. */
  readonly failed: readonly number[];
  /** The last day with a delivered notification. */
  readonly delivered?: number;
}

/** Returns the record after one more notification. It keeps the last ten days, including today. */
export function afterNotification({ failed, delivered }: ReceiverHealth, wasDelivered: boolean, today: number): ReceiverHealth {
  const recent = failed.filter((day) => day > today - JUDGED_DAYS);
  if (wasDelivered) return { failed: recent, delivered: today };
  return { failed: recent.includes(today) ? recent : [...recent, today], ...present({ delivered }) };
}

/** Whether the receiver failed on more than seven of the last ten days, without any success. */
export function mustSwitchOff({ failed, delivered }: ReceiverHealth, today: number): boolean {
  const succeeded = delivered !== undefined && delivered > today - JUDGED_DAYS;
  return !succeeded && failed.filter((day) => day > today - JUDGED_DAYS).length > MAX_FAILED_DAYS;
}

interface SwitchOffParts {
  readonly account: Account;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Records the result of a notification, and disables the webhook if its receiver failed too long. Only a failure can disable a webhook, so
 * days without notifications do not. An unchanged record is not written: a day has at most one write for failures and one for deliveries.
 */
export async function recordOutcome(webhook: Reference, delivered: boolean, { account, clock, log }: SwitchOffParts): Promise<void> {
  const today = dayNumber(clock.nowMs());
  const stored = account.objects.get(webhook.type, webhook.id);
  if (stored === undefined) return;
  const before = healthOf(stored);
  const after = afterNotification(before, delivered, today);
  const switchesOff = !delivered && stored.values.enabled === true && mustSwitchOff(after, today);
  if (!switchesOff && isDeepStrictEqual(before, after)) return;
  const health: Values = { failed: [...after.failed], delivered: after.delivered };
  await account.commit(() => account.put({ ...stored, values: { ...stored.values, health, ...(switchesOff ? { enabled: false } : {}) } }));
  if (switchesOff)
    log.warn(
      loggedAs({ url: String(stored.values.url), webhook: webhook.id }),
      "a webhook is switched off: its receiver failed on more than 7 of 10 days",
    );
}

function healthOf({ values }: Stored): ReceiverHealth {
  const { failed, delivered } = (values.health ?? {}) as Values;
  return {
    failed: Array.isArray(failed) ? (failed as readonly number[]) : [],
    ...(typeof delivered === "number" ? { delivered } : {}),
  };
}
