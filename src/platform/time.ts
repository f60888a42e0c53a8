import { parseWallTime, wallAsUtcMs, wallFromUtc } from "../kernel/moment.ts";
import type { Moment } from "./entities/meta.ts";

/** The platform's moments are Moscow's wall clock: UTC+3 all year round since October 2014 (json-api 5.4). */
const OFFSET_MS = 3 * 3_600_000;

/** `YYYY-MM-DD HH:mm:ss`, with `.SSS` on request. Filters and bodies accept both forms. */
export function momentOf(instantMs: number, milliseconds: "with" | "without" = "without"): Moment {
  const text = wallFromUtc(instantMs + OFFSET_MS);
  const fraction = milliseconds === "with" ? `.${String(((instantMs % 1000) + 1000) % 1000).padStart(3, "0")}` : "";
  return `${text}${fraction}` as Moment;
}

/** Milliseconds since the epoch, from a moment in either form. Undefined for another text. */
export function instantOfMoment(text: string): number | undefined {
  const wall = parseWallTime(text);
  if (wall === undefined) return undefined;
  const fraction = /\.(\d{1,3})/.exec(text)?.[1] ?? "0";
  return wallAsUtcMs(wall) - OFFSET_MS + Number(fraction.padEnd(3, "0"));
}

/** The platform stores `moment` and similar fields in whole minutes (json-api 5.4). */
export function cutToMinute(instantMs: number): number {
  return Math.floor(instantMs / 60_000) * 60_000;
}
