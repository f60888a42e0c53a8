import type { Deadline } from "../../kernel/deadline.ts";
import type { Reached } from "../register.ts";
import { readTableNumber, TABLES } from "./commands-values.ts";
import type { Connection } from "./connection.ts";
import { findField, readField } from "./identity-fields.ts";
import { wordsOf } from "./refusals.ts";

/** What decides how documents are sent. */
export interface Abilities {
  /** Tags of a position go before the position: devices on Android and small mobile ones (reference 5.7, FF4D). */
  tagsBeforeItem: boolean;
  /** Rows of the tax table: 6 before the rates of 2025, 12 since those of 2026. */
  taxRows: number;
  /** T17F71: what is sent as 20 % is registered as 22 %. */
  replacesVat20: boolean;
  /** Field of table 17 that says so, where there is one. */
  vat20Field?: number;
  /** T1F14: taxes of the whole receipt are wanted when it is closed. */
  taxOnTotal: boolean;
}

/** The tables that a model numbers in its own way. */
export interface Model {
  cashcore: boolean;
  driveTable: number;
  formatTable: number;
  formatField: number;
}

/** FCh: models that want the tags of a position before it. */
const TAGS_FIRST_MODELS = [16, 19, 20, 21, 45, 46];
/** F7h, bit 23. */
const CASHCORE_BIT = 1n << 23n;
const MODEL_PARAMETERS = 1;
/** T17F17. */
const FORMAT_FIELD = 17;

/** First question to a device: it opens the link. */
export async function readModel(connection: Connection, deadline: Deadline): Promise<Reached<Model>> {
  const type = await connection.ask("deviceType", {}, deadline);
  if (type.kind === "unreachable") return type;
  if (type.kind === "error") return { kind: "unreachable", reason: `Касса не называет себя: ${wordsOf(type.error)}` };
  const asked = await connection.ask("modelParameters", { kind: MODEL_PARAMETERS }, deadline);
  if (asked.kind === "unreachable") return asked;
  const parameters = asked.kind === "ok" ? asked.values : undefined;
  const hasBit = parameters !== undefined && (parameters.bits & CASHCORE_BIT) !== 0n;
  return {
    kind: "reached",
    value: {
      cashcore: hasBit || TAGS_FIRST_MODELS.includes(type.values.model),
      driveTable: numberOr(parameters?.driveTable, TABLES.drive),
      formatTable: numberOr(parameters?.formatTable, TABLES.regional),
      formatField: numberOr(parameters?.formatField, FORMAT_FIELD),
    },
  };
}

/** T1F14. */
const TAX_MODE_FIELD = 14;
/** T17F71, which moves: found by what it says. */
const VAT_FIELD = { usual: 71, name: /замена\s+ндс\s*20/i, from: 60 };
/** Rows of a tax table that knows no rate of 2025 (reference 6). */
const OLD_TAX_ROWS = 6;

export async function readAbilities(connection: Connection, model: Model, deadline: Deadline): Promise<Reached<Abilities>> {
  const { system } = connection.passwords;
  const mode = await readField(connection, TABLES.settings, 1, TAX_MODE_FIELD, deadline);
  if (mode.kind === "unreachable") return mode;
  const taxes = await connection.ask("tableInfo", { password: system, table: TABLES.taxes }, deadline);
  if (taxes.kind === "unreachable") return taxes;
  const regional = await connection.ask("tableInfo", { password: system, table: TABLES.regional }, deadline);
  if (regional.kind === "unreachable") return regional;
  const fields = regional.kind === "ok" ? regional.values.fields : 0;
  const place = await findField(connection, TABLES.regional, { ...VAT_FIELD, to: fields }, deadline);
  const replaces = place === undefined ? undefined : await readField(connection, TABLES.regional, 1, place, deadline);
  if (replaces?.kind === "unreachable") return replaces;
  return {
    kind: "reached",
    value: {
      tagsBeforeItem: model.cashcore,
      taxRows: taxes.kind === "ok" ? taxes.values.rows : OLD_TAX_ROWS,
      ...(place === undefined ? {} : { vat20Field: place }),
      replacesVat20: replaces?.kind === "field" && readTableNumber(replaces.value) === 1,
      taxOnTotal: mode.kind === "field" && readTableNumber(mode.value) === 1,
    },
  };
}

/** A table that the model does not have is number 0. */
function numberOr(value: number | undefined, usual: number): number {
  return value === undefined || value === 0 ? usual : value;
}
