import type { Clock } from "../../../../kernel/clock.ts";
import type { Version } from "../../call/call.ts";
import type { SandboxSettings } from "../../settings.ts";
import { datetimeText } from "../../values/datetime.ts";
import type { Answer } from "../answers/answer.ts";

/** A withdrawn version (chapter 2): unlike an unknown one it is answered in JSON. No code is known for it. */
export const WITHDRAWN: Answer = { status: 410, body: { errors: [{ error: "Версия API отключена" }] } };

/** The day on which a version is withdrawn; undefined: nobody has said. The current one stays. */
export function endOfVersion(version: Version, { oldVersionsEnd }: SandboxSettings): string | undefined {
  return version === "1.2" || oldVersionsEnd === "never" ? undefined : oldVersionsEnd;
}

/** Whether that day has come on Moscow's calendar. */
export function isWithdrawn(day: string | undefined, clock: Clock): boolean {
  return day !== undefined && datetimeText(clock.nowMs()).slice(0, 10) >= day;
}
