import type { WallTime } from "../../kernel/moment.ts";

/** Whether a device can show it: the protocol has two digits of a year of this century. */
export function isDeviceTime(wall: WallTime): boolean {
  return wall >= "2000-01-01" && wall < "2100-01-01";
}
