import { present } from "../../../kernel/present.ts";
import type { TableValue } from "../../examination-schema.ts";
import { readTableNumber, readTableText, TABLES } from "../commands/values.ts";
import type { Abilities, Model } from "../identity/abilities.ts";
import { findField, type MovingField, NO_LIMIT, readField } from "../identity/fields.ts";
import type { Questions } from "./questions.ts";

/** A field that affects the server's work. `key`: its name in the findings. */
interface Wanted {
  key: TableKey;
  table: number;
  field: number | MovingField;
  what: string;
  /** The meanings of the numbers. Absent: the value needs no explanation. */
  words?: Readonly<Record<number, string>>;
  text?: true;
}

type TableKey =
  | "tax-mode"
  | "cut"
  | "discounts"
  | "printing"
  | "early-expiry"
  | "format"
  | "extended-answers"
  | "vat20"
  | "operator-exchange"
  | "tcp-idle"
  | "operator-server"
  | "operator-port"
  | "automatic-shift"
  | "automatic-closing"
  | "drive-wait";

/** The read values by `key`. Fields that could not be read are absent. */
export type ReadTables = ReadonlyMap<TableKey, ReadField>;

interface ReadField {
  reported: TableValue;
  number: number;
}

const ON_OFF = { 0: "no", 1: "yes" };
const SERVICE = 10;

/** Reads the fields that the device has, and its names for them. */
export async function readTables(questions: Questions, model: Model, abilities: Abilities): Promise<ReadTables> {
  const read = new Map<TableKey, ReadField>();
  const lengths = new Map<number, number>();
  for (const wanted of wantedOf(model, abilities)) {
    const length = lengths.get(wanted.table) ?? (await lengthOf(questions, wanted.table));
    lengths.set(wanted.table, length);
    const found = length === 0 ? undefined : await readWanted(questions, wanted, length);
    if (found !== undefined) read.set(wanted.key, found);
  }
  return read;
}

/** Returns the fields of shtrih-protocol 6. Fields of table 17 whose number depends on the firmware are found by name. */
function wantedOf({ formatTable, formatField, operatorTable, embeddedTable }: Model, { vat20Place }: Abilities): Wanted[] {
  const { settings, regional, network } = TABLES;
  return [
    { key: "tax-mode", table: settings, field: 14, what: "taxes", words: { 0: "of each position", 1: "of the whole receipt" } },
    { key: "cut", table: settings, field: 7, what: "cutting", words: { 0: "none", 1: "full", 2: "partial" } },
    { key: "discounts", table: regional, field: 3, what: "discount mode" },
    {
      key: "printing",
      table: regional,
      field: 7,
      what: "printing",
      words: { 0: "everything", 1: "all but the next document", 2: "nothing", 3: "shift reports go to a memory card" },
    },
    { key: "early-expiry", table: regional, field: 8, what: "minutes before 24 hours when the shift counts as over" },
    {
      key: "format",
      table: formatTable,
      field: formatField,
      what: "format of documents",
      words: { 0: "1.0 beta", 1: "1.0", 2: "1.05", 3: "1.1", 4: "1.2" },
    },
    {
      key: "extended-answers",
      table: regional,
      field: { usual: 36, name: /расшир\S*\s+отв/i, from: 30 },
      what: "time of the document in answers",
      words: ON_OFF,
    },
    ...(vat20Place === undefined
      ? []
      : [
          {
            key: "vat20" as const,
            ...vat20Place,
            what: "22 % in place of 20 %",
            words: { 0: "no: 20 % is 20 %", 1: "yes: 20 % becomes 22 %" },
          },
        ]),
    { key: "drive-wait", table: SERVICE, field: 10, what: "seconds that the drive is waited for" },
    {
      key: "operator-exchange",
      table: network,
      field: 2,
      what: "who sends to the data operator",
      words: { 0: "a program, through the driver", 1: "the register itself" },
    },
    { key: "tcp-idle", table: network, field: 16, what: "seconds until an idle connection is closed" },
    { key: "operator-server", table: operatorTable, field: 1, what: "data operator's server", text: true },
    { key: "operator-port", table: operatorTable, field: 2, what: "data operator's port" },
    { key: "automatic-closing", table: embeddedTable, field: 9, what: "closes the shift by itself" },
    { key: "automatic-shift", table: embeddedTable, field: 13, what: "opens a shift by itself", words: ON_OFF },
  ];
}

async function lengthOf(questions: Questions, table: number): Promise<number> {
  const info = await questions.ask("tableInfo", { password: questions.passwords.system, table });
  return info.kind === "ok" ? info.values.fields : 0;
}

async function readWanted(questions: Questions, wanted: Wanted, length: number): Promise<ReadField | undefined> {
  const { table, what, words, text = false } = wanted;
  const place = await placeOf(questions, wanted, length);
  if (place === undefined) return undefined;
  const read = await readField(questions, table, 1, place.field, NO_LIMIT);
  if (read.kind !== "field") return undefined;
  const number = readTableNumber(read.value.subarray(0, MAX_NUMBER_BYTES));
  const meaning = words?.[number];
  const reported = {
    place: `T${table}F${place.field}`,
    what,
    ...present({ name: place.name }),
    value: text ? readTableText(read.value) : String(number),
    ...present({ words: meaning }),
  };
  return { reported, number };
}

const MAX_NUMBER_BYTES = 6;

async function placeOf(
  questions: Questions,
  { table, field }: Wanted,
  length: number,
): Promise<{ field: number; name?: string } | undefined> {
  if (typeof field !== "number") {
    const found = await findField(questions, table, { ...field, to: length }, NO_LIMIT);
    return found.kind === "found" ? found : undefined;
  }
  if (field > length) return undefined;
  const info = await questions.ask("fieldInfo", { password: questions.passwords.system, table, field });
  return { field, ...(info.kind === "ok" && info.values.name !== "" ? { name: info.values.name } : {}) };
}
