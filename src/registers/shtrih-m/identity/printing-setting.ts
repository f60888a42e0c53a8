import type { Deadline } from "../../../kernel/deadline.ts";
import { readTableNumber, TABLES } from "../commands/values.ts";
import type { Connection } from "../session/connection.ts";
import { readField } from "./fields.ts";

/** T17F7: whether documents are printed. */
const PRINT_FIELD = 7;
const PRINT_ALL = 0;
const SKIP_ONE = 1;
const PRINT_NOTHING = 2;

/**
 * Sets whether the device prints, as its address says (interface 6, Two papers). Writes only a changed setting, because the tables are in
 * flash memory, which wears out. Some models print regardless of the setting, and no document fails because of that.
 */
export async function setPrinting(connection: Connection, print: "paper" | "none", deadline: Deadline): Promise<void> {
  const field = await readField(connection, TABLES.regional, 1, PRINT_FIELD, deadline);
  if (field.kind !== "field") return;
  const now = readTableNumber(field.value);
  const silent = now === SKIP_ONE || now === PRINT_NOTHING;
  const wanted = print === "none" ? PRINT_NOTHING : silent ? PRINT_ALL : now;
  if (wanted === now) return;
  const { system } = connection.passwords;
  const value = Buffer.from([wanted]);
  const written = await connection.ask(
    "writeTable",
    { password: system, table: TABLES.regional, row: 1, field: PRINT_FIELD, value },
    deadline,
  );
  if (written.kind !== "ok") connection.note("warn", "the register's printing could not be set", { print, written });
}
