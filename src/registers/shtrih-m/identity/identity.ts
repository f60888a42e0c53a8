import type { Deadline } from "../../../kernel/deadline.ts";
import type { RegisterIdentity } from "../../../model/facts.ts";
import { TAX_SYSTEMS, type TaxSystem } from "../../../model/tax.ts";
import type { Reached } from "../../register.ts";
import { readTlvs, readValue } from "../../tags/tlv.ts";
import { readTableNumber, readTableText } from "../commands/values.ts";
import type { Connection } from "../session/connection.ts";
import { callWhenPrinted, leaveDataOutput } from "../session/printing.ts";
import { type Abilities, readAbilities, readModel } from "./abilities.ts";
import { readField, wordsOfField } from "./fields.ts";
import { setPrinting } from "./printing-setting.ts";

/** The identity and abilities of the device. They are valid for one opening of the link. */
export interface KnownDevice {
  /** The number of the opening for which the values are valid. */
  openings: number;
  identity: RegisterIdentity;
  abilities: Abilities;
  /** Last day of the drive's keys. Empty: the device does not give it. */
  keysUntil: string;
  /** The device is set to print nothing, so missing paper need not stop it. */
  silent: boolean;
}

/** Fields of the drive's table (shtrih-protocol 6). */
const SERIAL = 1;
const INN = 2;
const REGISTRATION_NUMBER = 3;
const DRIVE_NUMBER = 4;
const TAX_SYSTEM_BITS = 5;
const SELLER = { first: 7, second: 17 };
const ADDRESS = { first: 9, second: 18 };
const FNS_SITE = 13;
const PLACE = { first: 14, second: 20 };
const SENDER_EMAIL = 15;
/** The size of a text's first field. A longer text continues in a second field. */
const HALF_BYTES = 128;

/** Document formats by T17F17 (shtrih-protocol 6). Earlier formats have been out of use since 2021. */
const FORMATS: Record<number, RegisterIdentity["ffd"]> = { 2: "1.05", 3: "1.1", 4: "1.2" };
const FIRMWARE_TAG = 1188;

/**
 * Reads all values, because a different device may have been connected since the last opening. Also ends a document reading that was left
 * unfinished, and sets whether the device prints.
 */
export async function readKnown(connection: Connection, print: "paper" | "none", deadline: Deadline): Promise<Reached<KnownDevice>> {
  const model = await readModel(connection, deadline);
  if (model.kind === "unreachable") return model;
  const { openings } = connection;
  await leaveDataOutput(connection, deadline);
  const { driveTable, formatTable, formatField } = model.value;
  const format = await readField(connection, formatTable, 1, formatField, deadline);
  if (format.kind !== "field") return { kind: "unreachable", reason: wordsOfField(format, "версию ФФД") };
  const ffd = FORMATS[readTableNumber(format.value)];
  if (ffd === undefined) return { kind: "unreachable", reason: "Касса работает по ФФД ниже 1.05: обновите её" };

  const texts = await readTexts(connection, driveTable, deadline);
  if (texts.kind === "unreachable") return texts;
  const firmware = await readFirmware(connection, deadline);
  if (firmware.kind === "unreachable") return firmware;
  const abilities = await readAbilities(connection, model.value, deadline);
  if (abilities.kind === "unreachable") return abilities;
  await setPrinting(connection, print, deadline);
  const validity = await connection.ask("driveValidity", { password: connection.passwords.system }, deadline);
  if (validity.kind === "unreachable") return validity;
  if (connection.openings !== openings) return { kind: "unreachable", reason: "Связь с кассой прервалась, пока она называла себя" };

  const identity: RegisterIdentity = { ...texts.value, firmware: firmware.value, ffd };
  const keysUntil = validity.kind === "ok" ? validity.values.until : "";
  return { kind: "reached", value: { openings, identity, abilities: abilities.value, keysUntil, silent: print === "none" } };
}

type Texts = Omit<RegisterIdentity, "firmware" | "ffd">;

async function readTexts(connection: Connection, table: number, deadline: Deadline): Promise<Reached<Texts>> {
  const found: Record<number, string> = {};
  for (const field of [SERIAL, INN, REGISTRATION_NUMBER, DRIVE_NUMBER, FNS_SITE, SENDER_EMAIL]) {
    const read = await readText(connection, table, { first: field }, deadline);
    if (read.kind === "unreachable") return read;
    found[field] = read.value.trim();
  }
  for (const field of [SELLER, ADDRESS, PLACE]) {
    const read = await readText(connection, table, field, deadline);
    if (read.kind === "unreachable") return read;
    found[field.first] = read.value;
  }
  const bits = await readField(connection, table, 1, TAX_SYSTEM_BITS, deadline);
  if (bits.kind !== "field") return { kind: "unreachable", reason: wordsOfField(bits, "системы налогообложения") };

  const text = (field: number) => found[field] ?? "";
  const missing = [SERIAL, INN, REGISTRATION_NUMBER, DRIVE_NUMBER].some((field) => text(field) === "");
  if (missing) return { kind: "unreachable", reason: "Касса не зарегистрирована: в ней нет номеров накопителя и регистрации" };
  return {
    kind: "reached",
    value: {
      driveNumber: text(DRIVE_NUMBER),
      registrationNumber: text(REGISTRATION_NUMBER),
      serialNumber: text(SERIAL),
      inn: text(INN),
      sellerName: text(SELLER.first),
      address: text(ADDRESS.first),
      place: text(PLACE.first),
      taxSystems: taxSystemsOf(readTableNumber(bits.value)),
      ...(text(SENDER_EMAIL) === "" ? {} : { senderEmail: text(SENDER_EMAIL) }),
      fnsSite: text(FNS_SITE),
    },
  };
}

/** Returns a text field. Empty: the text is empty, or the device does not give the field. */
async function readText(
  connection: Connection,
  table: number,
  { first, second }: { first: number; second?: number },
  deadline: Deadline,
): Promise<Reached<string>> {
  const read = await readField(connection, table, 1, first, deadline);
  if (read.kind === "unreachable") return read;
  if (read.kind === "error") return { kind: "reached", value: "" };
  if (second === undefined || read.value.length < HALF_BYTES || read.value.includes(0)) {
    return { kind: "reached", value: readTableText(read.value) };
  }
  const more = await readField(connection, table, 1, second, deadline);
  if (more.kind === "unreachable") return more;
  const whole = more.kind === "error" ? read.value : Buffer.concat([read.value, more.value]);
  return { kind: "reached", value: readTableText(whole) };
}

/** Returns tag 1188 of the registration. Without this tag, returns the version in the status. Empty: the device gives neither. */
async function readFirmware(connection: Connection, deadline: Deadline): Promise<Reached<string>> {
  const { system } = connection.passwords;
  const parameter = { password: system, registration: 1, tag: FIRMWARE_TAG };
  const reply = await callWhenPrinted(connection, "registrationParameter", parameter, deadline);
  if (reply.kind === "undelivered" || reply.kind === "unknown") return { kind: "unreachable", reason: reply.reason };
  const [found] = reply.kind === "ok" ? (readTlvs(reply.values.tlv) ?? []) : [];
  if (found?.tag === FIRMWARE_TAG) return { kind: "reached", value: String(readValue(found)).trim() };
  const status = await connection.ask("longStatus", { password: system }, deadline);
  if (status.kind === "unreachable") return status;
  return { kind: "reached", value: status.kind === "ok" ? Array.from(status.values.firmwareVersion).join(".") : "" };
}

function taxSystemsOf(bits: number): TaxSystem[] {
  return (Object.keys(TAX_SYSTEMS) as TaxSystem[]).filter((system) => (TAX_SYSTEMS[system].tag1055 & bits) !== 0);
}
