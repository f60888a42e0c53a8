import type { Clock } from "../../../../kernel/clock.ts";
import type { Version } from "../../call/call.ts";
import type { SandboxSettings } from "../../settings.ts";
import { datetimeText } from "../../values/datetime.ts";
import type { Answer } from "../answers/answer.ts";

/** The answer for a withdrawn version (json-api 2). It is JSON, unlike the answer for an unknown version. Its error has no known code. */
export const WITHDRAWN: Answer = { status: 410, body: { errors: [{ error: "Версия API отключена" }] } };

/** Returns the day when a version is withdrawn. Undefined: no day is set. The current version is never withdrawn. */
export function endOfVersion(version: Version, { oldVersionsEnd }: SandboxSettings): string | undefined {
  return version === "1.2" || oldVersionsEnd === "never" ? undefined : oldVersionsEnd;
}

/** Whether the day has begun in Moscow. */
export function isWithdrawn(day: string | undefined, clock: Clock): boolean {
  return day !== undefined && datetimeText(clock.nowMs()).slice(0, 10) >= day;
}
