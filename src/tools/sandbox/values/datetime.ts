/** Datetimes are in Moscow's time, three hours before UTC all year (json-api 5.4). */
const MOSCOW_MS = 3 * 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** The form of a datetime. Seconds and milliseconds are optional. */
const PATTERN = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/;

/** Returns `YYYY-MM-DD HH:mm:ss` in Moscow's time, with `.SSS` when milliseconds are asked for. */
export function datetimeText(instantMs: number, milliseconds = false): string {
  const text = new Date(instantMs + MOSCOW_MS).toISOString();
  const seconds = `${text.slice(0, 10)} ${text.slice(11, 19)}`;
  return milliseconds ? `${seconds}.${text.slice(20, 23)}` : seconds;
}

/**
 * Returns milliseconds since the epoch. Undefined for a text that is no date, for a date that does not exist (31 February),
 * or before 1970. Seconds are optional.
 */
export function readDatetime(text: string): number | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.map((part) => Number(part ?? 0));
  const milliseconds = Number((match[7] ?? "0").padEnd(3, "0"));
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  const date = new Date(asUtc);
  const real =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCHours() === hour && date.getUTCMinutes() === minute;
  return real && second < 60 && asUtc >= MOSCOW_MS ? asUtc - MOSCOW_MS : undefined;
}

/** Returns the number of the day in Moscow's calendar. It increases by one at every midnight there. */
export function dayNumber(instantMs: number): number {
  return Math.floor((instantMs + MOSCOW_MS) / DAY_MS);
}

/** Returns the moment without seconds. `moment` and similar fields are kept in whole minutes. */
export function cutToMinute(instantMs: number): number {
  return Math.floor(instantMs / MINUTE_MS) * MINUTE_MS;
}
