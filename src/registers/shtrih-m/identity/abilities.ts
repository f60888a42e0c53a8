import type { Deadline } from "../../../kernel/deadline.ts";
import type { Reached } from "../../register.ts";
import { readTableNumber, TABLES } from "../commands/values.ts";
import { wordsOf } from "../refusals/refusals.ts";
import { type FieldPlace, findField, type MovingField, type QuestionedDevice, readField } from "./fields.ts";

/** Model differences that affect how documents are sent. */
export interface Abilities {
  /** Whether the tags of a position precede it. Android devices and small mobile devices need this (shtrih-protocol 5.7, FF4D). */
  tagsBeforeItem: boolean;
  /** Rows of the tax table: 6 without the rates of 2025, 12 with the rates of 2026. */
  taxRows: number;
  vat20: Vat20;
  /** The table place of the setting `vat20`. Absent: the device has no such setting. */
  vat20Place?: TablePlace;
  /** T1F14: the closing of a receipt must contain the taxes of the whole receipt. */
  taxOnTotal: boolean;
}

/**
 * T17F71: what the device registers for a sent 20 %. `kept`: 20 %. `replaced`: 22 %. `unclear`: the device does not give the field or its
 * value, shtrih-protocol 6 does not explain the value, or it is unknown whether a new value was written.
 */
export type Vat20 = "kept" | "replaced" | "unclear";

interface TablePlace {
  table: number;
  field: number;
}

/** The model's name, and table numbers that differ between models. */
export interface Model {
  name: string;
  cashcore: boolean;
  driveTable: number;
  operatorTable: number;
  embeddedTable: number;
  formatTable: number;
  formatField: number;
}

/** FCh numbers of models that expect a position's tags before the position. */
const TAGS_FIRST_MODELS = [16, 19, 20, 21, 45, 46];
/** F7h, bit 23. */
const CASHCORE_BIT = 1n << 23n;
const MODEL_PARAMETERS = 1;
/** Usual numbers (shtrih-protocol 6). */
const OPERATOR_TABLE = 19;
const EMBEDDED_TABLE = 24;
/** T17F17. */
const FORMAT_FIELD = 17;

/** Reads the model. This is the first question to a device and opens the link. */
export async function readModel(connection: QuestionedDevice, deadline: Deadline): Promise<Reached<Model>> {
  const type = await connection.ask("deviceType", {}, deadline);
  if (type.kind === "unreachable") return type;
  if (type.kind === "error") return { kind: "unreachable", reason: `Касса не называет себя: ${wordsOf(type.error)}` };
  const reply = await connection.ask("modelParameters", { kind: MODEL_PARAMETERS }, deadline);
  if (reply.kind === "unreachable") return reply;
  const parameters = reply.kind === "ok" ? reply.values : undefined;
  const hasBit = parameters !== undefined && (parameters.bits & CASHCORE_BIT) !== 0n;
  return {
    kind: "reached",
    value: {
      name: type.values.name,
      cashcore: hasBit || TAGS_FIRST_MODELS.includes(type.values.model),
      driveTable: numberOr(parameters?.driveTable, TABLES.drive),
      operatorTable: numberOr(parameters?.operatorTable, OPERATOR_TABLE),
      embeddedTable: numberOr(parameters?.embeddedTable, EMBEDDED_TABLE),
      formatTable: numberOr(parameters?.formatTable, TABLES.regional),
      formatField: numberOr(parameters?.formatField, FORMAT_FIELD),
    },
  };
}

/** T1F14. */
const TAX_MODE_FIELD = 14;
/** T17F71. The numbers of all fields above 36 depend on the firmware, so this field is found by its name. */
const VAT_FIELD: MovingField = { usual: 71, name: /замена\s+ндс\s*20/i, from: 37 };
/** Values of T17F71 (shtrih-protocol 6). The value 2 occurs too, but no source explains it. */
export const VAT20_VALUES = { kept: 0, replaced: 1 } as const;
/** Rows of a tax table without the rates of 2025 (shtrih-protocol 6). */
const OLD_TAX_ROWS = 6;

export async function readAbilities(connection: QuestionedDevice, model: Model, deadline: Deadline): Promise<Reached<Abilities>> {
  const { system } = connection.passwords;
  const mode = await readField(connection, TABLES.settings, 1, TAX_MODE_FIELD, deadline);
  if (mode.kind === "unreachable") return mode;
  const taxes = await connection.ask("tableInfo", { password: system, table: TABLES.taxes }, deadline);
  if (taxes.kind === "unreachable") return taxes;
  const vat20 = await readVat20(connection, model, deadline);
  if (vat20.kind === "unreachable") return vat20;
  return {
    kind: "reached",
    value: {
      tagsBeforeItem: model.cashcore,
      taxRows: taxes.kind === "ok" ? taxes.values.rows : OLD_TAX_ROWS,
      ...vat20.value,
      taxOnTotal: mode.kind === "field" && readTableNumber(mode.value) === 1,
    },
  };
}

/** Reads the setting. A device without this field is older than the 22 % rate, so it registers 20 % unchanged. */
async function readVat20(
  connection: QuestionedDevice,
  model: Model,
  deadline: Deadline,
): Promise<Reached<Pick<Abilities, "vat20" | "vat20Place">>> {
  const found = await findVat20(connection, model, deadline);
  switch (found.kind) {
    case "unreachable":
      return found;
    case "none":
      return { kind: "reached", value: { vat20: "kept" } };
    case "unnamed":
      return { kind: "reached", value: { vat20: "unclear" } };
  }
  const { table, field } = found;
  const read = await readField(connection, table, 1, field, deadline);
  if (read.kind === "unreachable") return read;
  return { kind: "reached", value: { vat20: read.kind === "field" ? vat20Of(read.value) : "unclear", vat20Place: { table, field } } };
}

/** Errors of a missing table (shtrih-protocol 5.5). */
const NO_SUCH_TABLE: readonly number[] = [0x5d, 0x33];

/**
 * Finds the field. A model with the format in an unusual table may have this field there too. `none`: the device has named all fields of
 * those possible tables that it has, and this field is not among them.
 */
async function findVat20(
  connection: QuestionedDevice,
  { formatTable }: Model,
  deadline: Deadline,
): Promise<Exclude<FieldPlace, { kind: "found" }> | ({ kind: "found" } & TablePlace)> {
  const tables =
    formatTable === TABLES.regional
      ? [{ table: TABLES.regional, ...VAT_FIELD }]
      : [
          { table: TABLES.regional, ...VAT_FIELD },
          { table: formatTable, ...VAT_FIELD, from: 1 },
        ];
  const places = new Set<"none" | "unnamed">();
  for (const { table, ...place } of tables) {
    const info = await connection.ask("tableInfo", { password: connection.passwords.system, table }, deadline);
    if (info.kind === "unreachable") return info;
    if (info.kind === "error") {
      if (!NO_SUCH_TABLE.includes(info.error)) places.add("unnamed");
      continue;
    }
    const found = await findField(connection, table, { ...place, to: info.values.fields }, deadline);
    if (found.kind === "found") return { kind: "found", table, field: found.field };
    if (found.kind === "unreachable") return found;
    places.add(found.kind);
  }
  return { kind: places.has("none") && !places.has("unnamed") ? "none" : "unnamed" };
}

export function vat20Of(value: Uint8Array): Vat20 {
  const number = readTableNumber(value);
  return number === VAT20_VALUES.kept ? "kept" : number === VAT20_VALUES.replaced ? "replaced" : "unclear";
}

/**
 * Returns the number that the device gives, or the usual number when the device gives none or 0. 0 means that the model lacks the table.
 */
function numberOr(value: number | undefined, usual: number): number {
  return value === undefined || value === 0 ? usual : value;
}
