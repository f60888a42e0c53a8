import type { Deadline } from "../../../kernel/deadline.ts";
import { wordsOf } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";

/** The part of a connection that only asks questions. */
export type QuestionedDevice = Pick<Connection, "ask" | "passwords" | "note">;

/** No limit, for callers that limit each question themselves. */
export const NO_LIMIT: Deadline = { atMs: Number.POSITIVE_INFINITY, remainingMs: () => Number.POSITIVE_INFINITY };

type Field = { kind: "field"; value: Buffer } | NoField;
type NoField = { kind: "error"; error: number } | { kind: "unreachable"; reason: string };

/** Returns a table field's raw bytes. */
export async function readField(
  connection: QuestionedDevice,
  table: number,
  row: number,
  field: number,
  deadline: Deadline,
): Promise<Field> {
  const reply = await connection.ask("readTable", { password: connection.passwords.system, table, row, field }, deadline);
  return reply.kind === "ok" ? { kind: "field", value: reply.values.value } : reply;
}

export type FieldPlace =
  | { kind: "found"; field: number; name: string }
  /** None of the fields has such a name. */
  | { kind: "none" }
  /** The device does not name every field, and none of the named fields has such a name. */
  | { kind: "unnamed" }
  | { kind: "unreachable"; reason: string };

/** A field whose number depends on the firmware: its usual number, a pattern for its name, and its lowest possible number. */
export interface MovingField {
  usual: number;
  name: RegExp;
  from: number;
}

/** Finds a field by its name, because high field numbers depend on the firmware (shtrih-protocol 6). Tries `usual` first. */
export async function findField(
  connection: QuestionedDevice,
  table: number,
  { usual, name, from, to }: MovingField & { to: number },
  deadline: Deadline,
): Promise<FieldPlace> {
  const others = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at).filter((field) => field !== usual);
  let unnamed = false;
  for (const field of usual <= to ? [usual, ...others] : others) {
    const reply = await connection.ask("fieldInfo", { password: connection.passwords.system, table, field }, deadline);
    if (reply.kind === "unreachable") return reply;
    if (reply.kind === "error") unnamed = true;
    else if (name.test(reply.values.name)) return { kind: "found", field, name: reply.values.name };
  }
  return { kind: unnamed ? "unnamed" : "none" };
}

export function wordsOfField(read: NoField, what: string): string {
  return read.kind === "unreachable" ? read.reason : `Касса не называет ${what}: ${wordsOf(read.error)}`;
}
