/**
 * Wall time: what a clock in a stated zone shows, `YYYY-MM-DD HH:MM:SS`. Registers and the platform's Datetime use it. Instants are
 * milliseconds since the epoch.
 */
export type WallTime = string;

const PATTERN = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?$/;

/**
 * Reads a Datetime. A fraction of a second is allowed and dropped. Undefined for other texts, and for impossible dates such as 31 February.
 */
export function parseWallTime(text: string): WallTime | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match.map(Number) as number[];
  const utcMs = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second);
  const wall = wallFromUtc(utcMs);
  return wall === `${text.slice(0, 10)} ${text.slice(11, 19)}` ? wall : undefined;
}

/** Returns the wall time of an IANA zone at the instant. */
export function wallTimeAt(instantMs: number, zone: string): WallTime {
  return wallFromUtc(instantMs + offsetMs(instantMs, zone));
}

/**
 * Returns the instant at which the zone's clock shows the wall time. When clocks go back and a wall time occurs twice, the result is the
 * earlier instant. When clocks go forward and skip the wall time, the result is an instant before the change.
 */
export function instantOf(wall: WallTime, zone: string): number {
  const asUtc = wallAsUtcMs(wall);
  const early = asUtc - offsetMs(asUtc - DAY_MS, zone);
  if (wallTimeAt(early, zone) === wall) return early;
  return asUtc - offsetMs(asUtc + DAY_MS, zone);
}

/** Returns the instant of a wall time as if its zone were UTC, for computing differences and for tag 1012. NaN for any other text. */
export function wallAsUtcMs(wall: WallTime): number {
  return Date.parse(`${wall.slice(0, 10)}T${wall.slice(11)}Z`);
}

/** The inverse of `wallAsUtcMs`. Returns an empty text for a number that is no date. */
export function wallFromUtc(utcMs: number): WallTime {
  const date = new Date(utcMs);
  return Number.isNaN(date.getTime()) ? "" : `${date.toISOString().slice(0, 10)} ${date.toISOString().slice(11, 19)}`;
}

/** Whether Node supports a zone of this name. */
export function isZone(name: string): boolean {
  try {
    formatterOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const DAY_MS = 86_400_000;
/**
 * The maximum number of zones in each cache. At this number all are forgotten. Node knows about six hundred zones, but in any letter case,
 * and a setting may have each spelling.
 */
const MAX_ZONES = 1_000;

/**
 * The last computed offset of each zone, and the minute for which the offset was computed. One sale needs the offset of one minute many
 * times. Since 1972 no zone has changed its clocks inside a minute.
 */
const offsets = new Map<string, { minute: number; offsetMs: number }>();

function offsetMs(instantMs: number, zone: string): number {
  const minute = Math.floor(instantMs / 60_000);
  const known = offsets.get(zone);
  if (known?.minute === minute) return known.offsetMs;
  const offset = measuredOffsetMs(instantMs, zone);
  if (offsets.size >= MAX_ZONES) offsets.clear();
  offsets.set(zone, { minute, offsetMs: offset });
  return offset;
}

function measuredOffsetMs(instantMs: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instantMs / 1000) * 1000;
}

/**
 * One formatter for each zone, because making a formatter takes fifty microseconds. A name that Node does not support gets no formatter.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  if (formatters.size >= MAX_ZONES) formatters.clear();
  formatters.set(zone, made);
  return made;
}
