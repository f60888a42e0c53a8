import { deadlineIn } from "../../../kernel/deadline.ts";
import { NO_SUCH_DATA } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";
import type { View } from "../state/view.ts";

/**
 * The largest number of documents that one command may make: the requested one, and the reports of a device that closes and opens shifts by
 * itself.
 */
export const MAX_DOCUMENTS_OF_COMMAND = 4;
/** Longest wait for one question to a device that has just answered. */
const LOOK_MS = 6_000;

/**
 * Tells whether the drive has a new document after the device has refused the registering command. The last number in the drive's status
 * may be out of date, so the next number is looked up as well: only error 08h of FF0A proves that there is no such document.
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
