import { type Deadline, deadlineIn, earlier } from "../../../kernel/deadline.ts";
import type { RegisterState } from "../../register.ts";
import { vat20Of } from "../identity/abilities.ts";
import { readField } from "../identity/fields.ts";
import type { KnownDevice } from "../identity/identity.ts";
import type { Connection } from "../session/connection.ts";

/** Values that are read once an hour, because they change slowly and a sale should not wait for them. */
export interface Hourly {
  driveNumber: string;
  readAtMs: number;
  /** The newest document at the time of the reading. */
  lastDocument: number;
  /** How many more documents fitted into the drive at that time. Absent: the device did not give this number. */
  room?: number;
}

const HOUR_MS = 3_600_000;
/** How long the driver waits for these values. The time is short, because no document needs them. */
const ASK_MS = 5_000;

/** Returns the drive's room now. Each document since the reading has used one place. */
export function documentsLeft({ lastDocument, room }: Hourly, lastDocumentNumber: number): number | undefined {
  return room === undefined ? undefined : Math.max(0, room - (lastDocumentNumber - lastDocument));
}

/**
 * Returns the last values if they are less than an hour old and of the same drive. Otherwise reads the values. A missing value is not asked
 * for again within the hour, because some models do not know the question.
 */
export async function readHourly(
  connection: Connection,
  { known, state, last }: { known: KnownDevice; state: RegisterState; last: Hourly | undefined },
  deadline: Deadline,
): Promise<{ hourly: Hourly; known: KnownDevice }> {
  const { clock, passwords } = connection;
  const { driveNumber, lastDocumentNumber: lastDocument } = state;
  const nowMs = clock.monotonicMs();
  if (last?.driveNumber === driveNumber && nowMs - last.readAtMs < HOUR_MS) return { hourly: last, known };
  const limit = earlier(deadline, deadlineIn(clock, ASK_MS));
  const memory = await connection.ask("freeMemory", { password: passwords.system }, limit);
  const hourly = { driveNumber, readAtMs: nowMs, lastDocument, ...(memory.kind === "ok" ? { room: memory.values.documents } : {}) };
  // The 20 % setting was read when the link was opened. A link may stay open for weeks, and a person may have changed the setting
  // meanwhile, so the setting is read again.
  return { hourly, known: last === undefined ? known : await withVat20(connection, known, limit) };
}

async function withVat20(connection: Connection, known: KnownDevice, deadline: Deadline): Promise<KnownDevice> {
  const { vat20, vat20Place: place } = known.abilities;
  if (place === undefined) return known;
  const read = await readField(connection, place.table, 1, place.field, deadline);
  if (read.kind === "unreachable") return known;
  const found = read.kind === "field" ? vat20Of(read.value) : "unclear";
  if (found === vat20) return known;
  connection.note("warn", "somebody has told the register anew what 20 % is", { ...place, vat20: found });
  return { ...known, abilities: { ...known.abilities, vat20: found } };
}
