/** Datetimes are in Moscow time, UTC+3 all year (json-api 5.4). */
const MOSCOW_MS = 3 * 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** Seconds and milliseconds are optional. */
const PATTERN = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/;

/** Returns `YYYY-MM-DD HH:mm:ss` in Moscow time, with `.SSS` if `milliseconds` is set. */
export function datetimeText(instantMs: number, milliseconds = false): string {
  const text = new Date(instantMs + MOSCOW_MS).toISOString();
  const seconds = `${text.slice(0, 10)} ${text.slice(11, 19)}`;
  return milliseconds ? `${seconds}.${text.slice(20, 23)}` : seconds;
}

/**
 * Returns milliseconds since the epoch. Undefined: the text is no datetime, the date does not exist (31 February), or the moment is before
 * 1970-01-01 03:00:00, the platform's minimum (json-api 5.4).
 */
export function readDatetime(text: string): number | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.map((part) => Number(part ?? 0));
  const milliseconds = Number((match[7] ?? "0").padEnd(3, "0"));
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  // `Date.UTC` turns a nonexistent date into another date, and the years 0 to 99 into 1900 to 1999. So the result must show the given date.
  const real = new Date(asUtc).toISOString().startsWith(text.slice(0, 16).replace(" ", "T"));
  return real && second < 60 && asUtc >= MOSCOW_MS ? asUtc - MOSCOW_MS : undefined;
}

/** Returns a day's number in Moscow's calendar: each midnight adds one. */
export function dayNumber(instantMs: number): number {
  return Math.floor((instantMs + MOSCOW_MS) / DAY_MS);
}

/** Returns the moment without seconds. `moment` and similar fields have whole minutes. */
export function cutToMinute(instantMs: number): number {
  return Math.floor(instantMs / MINUTE_MS) * MINUTE_MS;
}
