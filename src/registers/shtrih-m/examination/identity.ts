import { present } from "../../../kernel/present.ts";
import { TAX_SYSTEMS, type TaxSystem } from "../../../model/tax.ts";
import type { Facts } from "../../examination-schema.ts";
import type { AnswerOf } from "../commands/commands.ts";
import { readTableNumber, readTableText } from "../commands/values.ts";
import type { Model } from "../identity/abilities.ts";
import { NO_LIMIT, readField } from "../identity/fields.ts";
import type { Questions } from "./questions.ts";

/** Fields of the drive's table (shtrih-protocol 6, table 18). */
const FIELDS = { serialNumber: 1, inn: 2, registrationNumber: 3, seller: 7, address: 9, place: 14 } as const;
const TAX_SYSTEM_BITS = 5;
/** Names of T17F17's values. */
const FORMATS: Readonly<Record<number, string>> = { 0: "1.0 beta", 1: "1.0", 2: "1.05", 3: "1.1", 4: "1.2" };

/** Reads the device's identity as far as possible. An unregistered device lacks most values. */
export async function readIdentity(
  questions: Questions,
  model: Model,
  status: AnswerOf<"longStatus"> | undefined,
): Promise<Facts["identity"]> {
  const { driveTable, formatTable, formatField } = model;
  const texts: Partial<Record<keyof typeof FIELDS, string>> = {};
  for (const name of Object.keys(FIELDS) as (keyof typeof FIELDS)[]) {
    const read = await readField(questions, driveTable, 1, FIELDS[name], NO_LIMIT);
    const text = read.kind === "field" ? readTableText(read.value).trim() : "";
    if (text !== "") texts[name] = text;
  }
  const bits = await readField(questions, driveTable, 1, TAX_SYSTEM_BITS, NO_LIMIT);
  const format = await readField(questions, formatTable, 1, formatField, NO_LIMIT);
  const ffd = format.kind === "field" ? FORMATS[readTableNumber(format.value)] : undefined;
  return {
    ...texts,
    taxSystems: bits.kind === "field" ? taxSystemsOf(readTableNumber(bits.value)) : [],
    ...(model.name === "" ? {} : { model: model.name }),
    ...(status === undefined ? {} : { firmware: firmwareOf(status) }),
    ...present({ ffd }),
  };
}

/** For example `C.1 build 34378 of 2017-01-13`. */
function firmwareOf({ firmwareVersion, firmwareBuild, firmwareDate }: AnswerOf<"longStatus">): string {
  return `${Array.from(firmwareVersion).join(".")} build ${firmwareBuild} of ${firmwareDate}`;
}

function taxSystemsOf(bits: number): TaxSystem[] {
  return (Object.keys(TAX_SYSTEMS) as TaxSystem[]).filter((system) => (TAX_SYSTEMS[system].tag1055 & bits) !== 0);
}
