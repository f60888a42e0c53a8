import type { Deadline } from "../../../kernel/deadline.ts";
import type { Refusal, RefusalCode } from "../../../model/refusal.ts";
import { MODES, modeOf } from "../commands/values.ts";
import { type DeviceError, refusalFrom } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";

/**
 * Errors that only the device's mode explains: the drive is in a different state, the operation is wrong, the mode does not allow the
 * command.
 */
const VAGUE = [0x02, 0x5e, 0x73];

const BY_MODE: Readonly<Record<number, RefusalCode>> = {
  [MODES.shiftExpired]: "shift-expired",
  [MODES.shiftClosed]: "shift-closed",
  [MODES.dateWaiting]: "clock-wrong",
};

/** Returns the refusal of a command. For a vague error the device's mode decides the code. */
export async function refusalByMode(connection: Connection, error: DeviceError, deadline: Deadline): Promise<Refusal> {
  const refusal = refusalFrom(error);
  if (!VAGUE.includes(error.error)) return refusal;
  const reply = await connection.ask("shortStatus", { password: connection.passwords.system }, deadline);
  const code = reply.kind === "ok" ? BY_MODE[modeOf(reply.values.mode).mode] : undefined;
  return code === undefined ? refusal : { ...refusal, code };
}
