import { parseWallTime, type WallTime, wallTimeAt } from "../../kernel/moment.ts";

const TO_THE_MINUTE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}$/;
const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:?\d{2})$/;

export const DEVICE_TIME = "a time such as 2026-11-28T10:00:00";

/**
 * Reads a time of ISO 8601. The year must be from 2000 to 2099, because the protocol has two digits for the year. A time without a zone is
 * a time of the device's clock. Undefined: any other text.
 */
export function readDeviceTime(text: string, zone: string): WallTime | undefined {
  const instant = WITH_ZONE.test(text) ? Date.parse(text) : Number.NaN;
  const shown = parseWallTime(TO_THE_MINUTE.test(text) ? `${text}:00` : text);
  const wall = shown ?? (Number.isNaN(instant) ? undefined : wallTimeAt(instant, zone));
  return wall !== undefined && wall >= "2000-01-01" && wall < "2100-01-01" ? wall : undefined;
}
