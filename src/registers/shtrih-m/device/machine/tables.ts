import { encodeCp1251 } from "../../commands/charset.ts";
import { ERROR } from "./errors.ts";
import type { RegisterMemory } from "./register-memory.ts";
import type { Table, TableField } from "./table-fields.ts";

type FieldFound = { kind: "field"; field: TableField } | { kind: "error"; error: number };
type Read = { kind: "value"; value: Buffer } | { kind: "error"; error: number };

/** The place of a field without its row. */
type Place = readonly [table: number, field: number];

/** The device's tables with their written values (shtrih-protocol 5.5). */
export class Tables {
  readonly #list: ReadonlyMap<number, Table>;
  readonly #memory: RegisterMemory;
  readonly #charFields: "padded" | "text";

  constructor(list: ReadonlyMap<number, Table>, memory: RegisterMemory, charFields: "padded" | "text") {
    this.#list = list;
    this.#memory = memory;
    this.#charFields = charFields;
  }

  table(number: number): Table | undefined {
    return this.#list.get(number);
  }

  find(table: number, row: number, field: number): FieldFound {
    const found = this.#list.get(table);
    if (found === undefined) return { kind: "error", error: ERROR.noSuchTable };
    const spec = found.fields[field - 1];
    if (spec === undefined || row < 1 || row > found.rows) return { kind: "error", error: ERROR.badParameters };
    return { kind: "field", field: spec };
  }

  /** Returns the answer of 1Fh. Depending on the model, a text has its whole width or only its characters. */
  read(table: number, row: number, field: number): Read {
    const found = this.find(table, row, field);
    if (found.kind === "error") return found;
    const value = this.#stored(found.field, table, row, field);
    if (found.field.type === "bin" || this.#charFields === "text") return { kind: "value", value };
    return { kind: "value", value: Buffer.concat([value, Buffer.alloc(found.field.size - value.length, found.field.padding)]) };
  }

  /**
   * Writes the value, which is stored when the promise resolves. Returns the error, if any. The value that a field already has is accepted
   * for every field.
   */
  async write(address: { table: number; row: number; field: number }, value: Buffer, shiftClosed: boolean): Promise<number | undefined> {
    const { table, row, field } = address;
    const found = this.find(table, row, field);
    if (found.kind === "error") return found.error;
    const kept = keptForm(found.field, value);
    if (kept === undefined) return ERROR.badParameters;
    if (kept.equals(this.#stored(found.field, table, row, field))) return undefined;
    if (found.field.writing === "fixed") return ERROR.notEditable;
    if (found.field.writing === "closed" && !shiftClosed) return ERROR.notEditableNow;
    await this.#memory.keep({ kind: "table", ...address, value: kept.toString("base64") });
    return undefined;
  }

  /** Returns a number field's value; 0 when there is no such number field. */
  number([table, field]: Place, row = 1): number {
    const found = this.find(table, row, field);
    if (found.kind === "error" || found.field.type !== "bin") return 0;
    return this.#stored(found.field, table, row, field).readUIntLE(0, found.field.size);
  }

  /** Returns a text field's bytes without padding. Empty: the text is empty, or the field does not exist. */
  text([table, field]: Place, row = 1): Buffer {
    const found = this.find(table, row, field);
    return found.kind === "error" ? Buffer.alloc(0) : this.#stored(found.field, table, row, field);
  }

  #stored(spec: TableField, table: number, row: number, field: number): Buffer {
    const kept = this.#memory.field(table, row, field);
    if (kept !== undefined) return kept;
    if (spec.type === "char") return encodeCp1251(spec.standard(row), spec.size);
    const value = Buffer.alloc(spec.size);
    value.writeUIntLE(spec.standard(row), 0, spec.size);
    return value;
  }
}

/** Returns the value's stored form. A zero ends a text, and codes 1 to 31 are ignored. Undefined: the value does not fit the field. */
function keptForm(field: TableField, value: Buffer): Buffer | undefined {
  if (field.type === "bin") {
    if (value.length !== field.size) return undefined;
    const number = value.readUIntLE(0, field.size);
    return number < field.min || number > field.max ? undefined : Buffer.from(value);
  }
  if (value.length > field.size) return undefined;
  const end = value.indexOf(0);
  return Buffer.from(value.subarray(0, end < 0 ? value.length : end).filter((byte) => byte >= 0x20));
}
