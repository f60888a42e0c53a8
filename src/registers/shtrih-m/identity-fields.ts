import type { Deadline } from "../../kernel/deadline.ts";
import type { Connection } from "./connection.ts";
import { wordsOf } from "./refusals.ts";

export type Field = { kind: "field"; value: Buffer } | NoField;
export type NoField = { kind: "error"; error: number } | { kind: "unreachable"; reason: string };

/** A field of a table as the device keeps it. */
export async function readField(connection: Connection, table: number, row: number, field: number, deadline: Deadline): Promise<Field> {
  const asked = await connection.ask("readTable", { password: connection.passwords.system, table, row, field }, deadline);
  return asked.kind === "ok" ? { kind: "field", value: asked.values.value } : asked;
}

/**
 * The number of a field by its name: the higher ones move between firmware versions (reference 6). `usual` is
 * looked at first. Undefined when the table has no such field, or the device cannot name its fields.
 */
export async function findField(
  connection: Connection,
  table: number,
  { usual, name, from, to }: { usual: number; name: RegExp; from: number; to: number },
  deadline: Deadline,
): Promise<number | undefined> {
  const places = [usual, ...Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)];
  for (const field of places) {
    if (field > to) continue;
    const asked = await connection.ask("fieldInfo", { password: connection.passwords.system, table, field }, deadline);
    if (asked.kind === "unreachable") return undefined;
    if (asked.kind === "ok" && name.test(asked.values.name)) return field;
  }
  return undefined;
}

export function wordsOfField(read: NoField, what: string): string {
  return read.kind === "unreachable" ? read.reason : `Касса не называет ${what}: ${wordsOf(read.error)}`;
}
