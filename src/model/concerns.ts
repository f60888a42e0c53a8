import { type WallTime, wallAsUtcMs, wallFromUtc } from "../kernel/moment.ts";

/**
 * Judges what stops a register now or within weeks: the life and state of its drive, unconfirmed documents, the age of its shift, its
 * clock, its paper and its cover. Pure. Log, metrics, alerts, pages and the command `doctor` all use this judgement.
 */

/** The state and the remaining time and room of a register. An absent member is unknown or does not apply. */
export interface Reserves {
  /** Days until the keys of the drive end, negative after their end. */
  keyDays?: number;
  /** The drive's own warnings about its keys. */
  keysExpireSoon?: boolean;
  keysExpireNow?: boolean;
  /** The drive's remaining room, in documents. */
  documentsLeft?: number;
  /** The drive's own warning that its memory is nearly full. */
  memoryFull?: boolean;
  /** Days since the oldest document without the data operator's confirmation. */
  queueDays?: number;
  unsent?: number;
  /** The drive's own warning that the data operator does not answer. */
  operatorTimeout?: boolean;
  shiftHours?: number;
  /** The register itself reports that the shift is too long. */
  shiftExpired?: boolean;
  /** Positive when the register's clock is ahead, negative when it is behind. */
  clockAheadMinutes?: number;
  /** Whether the zone used for comparing the clock is certainly the register's zone. Absent counts as true. */
  zoneKnown?: boolean;
  /** Made by `clockBehindOf`: the times of the clock (`device`) and of the newest document (`last`), for people. */
  clockBehind?: { device: string; last: string };
  drivePhase?: "ready" | "fiscal" | "closed";
  /** Set for a printing register. `ended-within`: the paper ended inside a document, but the document is registered. */
  paper?: "present" | "out" | "ended-within";
  coverOpen?: boolean;
}

export const CONCERNS = ["drive-keys", "drive-memory", "queue", "shift", "clock", "drive-phase", "clock-behind", "paper", "cover"] as const;
export type ConcernAbout = (typeof CONCERNS)[number];

export interface Concern {
  about: ConcernAbout;
  /** The number of the crossed bound, from 1, the mildest. For a stopped register: the number of bounds plus one. */
  bound: number;
  weight: "stops-now" | "stops-soon";
  words: string;
  remedy: string;
}

/**
 * Bounds in days until the end of the keys. Below 30 days the drive warns (tag 1050): another drive and a technician should be ordered. A
 * week before the end is the last time to order them. Below 3 days the drive warns again (tag 1051). At 0 it refuses documents (error 05h).
 */
export const KEY_DAYS = [30, 7, 3] as const;
/**
 * Bounds in documents for which the drive has room. A busy till makes 500 a day, so the first bound comes about three weeks before the
 * drive is full, and the second four days before. At 0 the drive refuses documents (error 06h).
 */
export const DOCUMENTS_LEFT = [10_000, 2_000] as const;
/**
 * Bounds in days for which a document waits for the data operator. The drive warns after 2 days (tag 1053). A weekend without network
 * already lasts 2 days, so the first bound is 3. At `QUEUE_LIMIT_DAYS` the drive refuses receipts (error 15h) until the queue is empty. The
 * further bounds are a third and two thirds of this limit.
 */
export const QUEUE_DAYS = [3, 10, 20] as const;
export const QUEUE_LIMIT_DAYS = 30;
/** Bounds in hours: four hours and one hour before 24 hours, when the drive refuses receipts (fiscal-receipts 6.2, error 16h). */
export const SHIFT_HOURS = [20, 23] as const;
export const SHIFT_LIMIT_HOURS = 24;
/**
 * Bounds in minutes. Documents may differ from the real time by at most five minutes (fiscal-receipts 6.1, drive code 17h). The bound is
 * two minutes below this limit.
 */
export const CLOCK_MINUTES = [3] as const;
export const CLOCK_LIMIT_MINUTES = 5;

/** Returns at most one concern of each kind, with the worst crossed bound. */
export function concernsOf(reserves: Reserves): Concern[] {
  const judged = [keys, memory, queue, shift, clock, phase, behind, paper, cover].map((judge) => judge(reserves));
  return judged.filter((one) => one !== undefined);
}

function keys({ keyDays, keysExpireSoon = false, keysExpireNow = false }: Reserves): Concern | undefined {
  const flagged = keysExpireNow ? 3 : keysExpireSoon ? 1 : 0;
  const bound = Math.max(flagged, keyDays === undefined ? 0 : crossedBelow(KEY_DAYS, keyDays));
  if (keyDays !== undefined && keyDays <= 0) {
    return stopped("drive-keys", KEY_DAYS, "The keys of the fiscal drive have ended: it refuses documents (05h).", "Replace the drive.");
  }
  if (bound === 0) return undefined;
  const left = keyDays === undefined ? (flagged === 3 ? "fewer than 3 days" : "fewer than 30 days") : count(Math.floor(keyDays), "day");
  const remedy = bound === 1 ? "Order another drive and a day for replacing it." : "Replace the drive before that day.";
  return soon("drive-keys", bound, `The keys of the fiscal drive end in ${left}.`, remedy);
}

function memory({ documentsLeft, memoryFull = false }: Reserves): Concern | undefined {
  if (documentsLeft !== undefined && documentsLeft <= 0) {
    return stopped(
      "drive-memory",
      DOCUMENTS_LEFT,
      "The memory of the fiscal drive is full: it refuses documents (06h).",
      "Replace the drive.",
    );
  }
  const bound = Math.max(memoryFull ? 1 : 0, documentsLeft === undefined ? 0 : crossedBelow(DOCUMENTS_LEFT, documentsLeft));
  if (bound === 0) return undefined;
  // `documentsLeft` is an estimate, and some drives report a constant. So the words contain this number only when it crosses a bound, and
  // not when only the drive warns.
  const counted = documentsLeft !== undefined && crossedBelow(DOCUMENTS_LEFT, documentsLeft) > 0;
  const room = counted ? `has room for ${count(documentsLeft, "document")}` : "is nearly full";
  const left = memoryFull ? `${room}, and the drive itself warns of it` : room;
  const remedy = bound === 1 ? "Order another drive and a day for replacing it." : "Replace the drive now.";
  return soon("drive-memory", bound, `The memory of the fiscal drive ${left}.`, remedy);
}

function queue({ queueDays, unsent = 0, operatorTimeout = false }: Reserves): Concern | undefined {
  const remedy = "See that the register reaches its data operator: network, address, contract.";
  const what = unsent === 0 ? "Documents have waited" : `${count(unsent, "document")} ${unsent === 1 ? "has" : "have"} waited`;
  if (queueDays !== undefined && queueDays >= QUEUE_LIMIT_DAYS) {
    const words = `${what} for the data operator for ${count(Math.floor(queueDays), "day")}: the drive refuses receipts (15h) until none does.`;
    return stopped("queue", QUEUE_DAYS, words, remedy);
  }
  const bound = queueDays === undefined ? (operatorTimeout ? 1 : 0) : crossedAbove(QUEUE_DAYS, queueDays);
  if (bound === 0) return undefined;
  if (queueDays === undefined) return soon("queue", bound, `${what} for the data operator for more than 2 days.`, remedy);
  const left = count(Math.ceil(QUEUE_LIMIT_DAYS - queueDays), "day");
  return soon(
    "queue",
    bound,
    `${what} for the data operator for ${count(Math.floor(queueDays), "day")}; receipts stop in ${left}.`,
    remedy,
  );
}

function shift({ shiftHours = 0, shiftExpired = false }: Reserves): Concern | undefined {
  if (shiftExpired || shiftHours >= SHIFT_LIMIT_HOURS) {
    return stopped("shift", SHIFT_HOURS, "The shift is open for more than 24 hours: receipts are refused (16h, 4Eh).", "Close the shift.");
  }
  const bound = crossedAbove(SHIFT_HOURS, shiftHours);
  if (bound === 0) return undefined;
  const words = `The shift is open for ${count(Math.floor(shiftHours), "hour")}; receipts stop at ${SHIFT_LIMIT_HOURS}.`;
  return soon("shift", bound, words, "Close the shift before that.");
}

const HOUR_MINUTES = 60;
/** The largest offset of a time zone from UTC. */
const MAX_ZONE_HOURS = 14;

function clock({ clockAheadMinutes: ahead, zoneKnown = true }: Reserves): Concern | undefined {
  if (ahead === undefined) return undefined;
  const off = Math.abs(ahead);
  const bound = crossedAbove(CLOCK_MINUTES, off);
  if (bound === 0) return undefined;
  const words = `The register's clock is ${lengthOf(off)} ${ahead > 0 ? "ahead of" : "behind"} the server's`;
  const remedy = "Close the shift and set the register's clock, never to before its last document; or set the server's clock.";
  const hours = Math.round(off / HOUR_MINUTES);
  const wholeHours = hours > 0 && hours <= MAX_ZONE_HOURS && Math.abs(off - hours * HOUR_MINUTES) < CLOCK_MINUTES[0];
  if (wholeHours && !zoneKnown)
    return soon("clock", bound, `${words}: whole hours, as in another time zone.`, `Name the register's zone; else: ${remedy}`);
  if (off < CLOCK_LIMIT_MINUTES) return soon("clock", bound, `${words}; five minutes are the limit.`, remedy);
  return stopped("clock", CLOCK_MINUTES, `${words}: documents would tell a wrong time, and the drive may refuse them (17h).`, remedy);
}

function phase({ drivePhase }: Reserves): Concern | undefined {
  if (drivePhase === "ready") {
    return stopped("drive-phase", [], "The fiscal drive is not registered.", "Have the register registered with the tax office.");
  }
  if (drivePhase !== "closed") return undefined;
  return stopped("drive-phase", [], "The archive of the fiscal drive is closed: it makes no documents.", "Replace the drive.");
}

function behind({ clockBehind }: Reserves): Concern | undefined {
  if (clockBehind === undefined) return undefined;
  const { device, last } = clockBehind;
  const words = `The register's clock shows ${device}, its last document is of ${last}: the drive refuses documents (07h).`;
  return stopped("clock-behind", [], words, "Set the register's clock.");
}

function paper({ paper }: Reserves): Concern | undefined {
  if (paper === "out") return stopped("paper", [], "There is no paper: documents are refused (6Bh).", "Put paper in.");
  if (paper !== "ended-within") return undefined;
  const words = "The paper ended in the middle of a document, which is registered.";
  return stopped("paper", [], words, "Put paper in: it goes on by itself then.");
}

function cover({ coverOpen = false }: Reserves): Concern | undefined {
  return coverOpen ? stopped("cover", [], "The cover is open: nothing is printed.", "Close it.") : undefined;
}

/**
 * Returns `clockBehind` when the device's clock, with `READING_MS` added, shows an earlier minute than its newest document, otherwise an
 * empty object. Only minutes are compared, because drives store no seconds.
 */
export function clockBehindOf(device: WallTime, last: WallTime): Pick<Reserves, "clockBehind"> {
  const latest = wallFromUtc(wallAsUtcMs(device) + READING_MS);
  return latest.slice(0, MINUTE) < last.slice(0, MINUTE) ? { clockBehind: { device, last } } : {};
}

/** How old a reported clock value may be. A device reports whole seconds, and a slow line delays the answer. */
const READING_MS = 5_000;
const MINUTE = "2026-11-28 10:00".length;

function stopped(about: ConcernAbout, bounds: readonly number[], words: string, remedy: string): Concern {
  return { about, bound: bounds.length + 1, weight: "stops-now", words, remedy };
}

function soon(about: ConcernAbout, bound: number, words: string, remedy: string): Concern {
  return { about, bound, weight: "stops-soon", words, remedy };
}

function crossedBelow(bounds: readonly number[], value: number): number {
  return bounds.filter((bound) => value < bound).length;
}

function crossedAbove(bounds: readonly number[], value: number): number {
  return bounds.filter((bound) => value >= bound).length;
}

function lengthOf(minutes: number): string {
  if (minutes < 2 * HOUR_MINUTES) return count(Math.floor(minutes), "minute");
  const hours = minutes / HOUR_MINUTES;
  return hours < 48 ? count(Math.round(hours), "hour") : count(Math.round(hours / 24), "day");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
