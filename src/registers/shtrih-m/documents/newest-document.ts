import { deadlineIn } from "../../../kernel/deadline.ts";
import { NO_SUCH_DATA } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";
import type { View } from "../state/view.ts";

/**
 * The largest number of documents that one command makes: the requested document, and the device's automatic reports that close and open
 * shifts.
 */
export const MAX_DOCUMENTS_OF_COMMAND = 4;
/** How long one question may take. The time is short, because the device has just answered. */
const LOOK_MS = 6_000;

/**
 * Returns whether the drive has a new document after the device refused the registering command. The drive's status may still have the
 * number of an earlier document, so the next number is looked up too. Only error 08h of FF0A proves that no document has this next number.
 */
export async function madeSince({
  connection,
  view,
}: {
  connection: Connection;
  view: View;
}): Promise<"nothing" | "something" | "unknown"> {
  const password = connection.passwords.system;
  const status = await connection.ask("driveStatus", { password }, deadlineIn(connection.clock, LOOK_MS));
  if (status.kind !== "ok") return "unknown";
  if (status.values.lastDocument !== view.lastDocumentNumber) return "something";
  const documentNumber = view.lastDocumentNumber + 1;
  const behind = await connection.ask("findDocument", { password, documentNumber }, deadlineIn(connection.clock, LOOK_MS));
  if (behind.kind === "ok") return "something";
  return behind.kind === "error" && behind.error === NO_SUCH_DATA ? "nothing" : "unknown";
}
