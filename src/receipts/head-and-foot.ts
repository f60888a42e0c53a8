import type { RegisterDocument } from "../model/document.ts";
import type { DocumentFacts, FiscalFacts, RegisterIdentity } from "../model/facts.ts";
import { type Block, block, heading, pair, type Row, ruled, text, timed } from "./rows.ts";

/**
 * Tags 1048, 1009 and 1187. For 1009 and 1187 the point of sale's settings take precedence over the register's registration. An empty value
 * gets no line.
 */
export function headOf(document: RegisterDocument, identity: RegisterIdentity): Block {
  return block(
    heading(identity.sellerName, { strong: true }),
    ...[document.address ?? identity.address, document.place ?? identity.place].filter((line) => line !== "").map((line) => heading(line)),
  );
}

/** Title, shift, time and cashier of a report or slip (fiscal-receipts 1.5). */
export function reportTitleOf(title: Row[], document: RegisterDocument, facts: DocumentFacts): Block {
  return block(...title, timed(`Смена № ${facts.shiftNumber}`, facts.time), ...cashierOf(document, facts).map(text));
}

/** Tag 1021: `Кассир Иванова М.П.`. Empty when no cashier is named. */
export function cashierOf(document: RegisterDocument, facts: DocumentFacts): string[] {
  const name = facts.cashierName ?? document.cashierName;
  return name === undefined || name === "" ? [] : [`Кассир ${name}`];
}

/** The foot of reports and slips. It contains the INN, which their head lacks. */
export function reportFootOf(facts: DocumentFacts): Block[] {
  return ruled(pair("ИНН", facts.identity.inn), ...machineRows(facts.identity), ...(facts.kind === "fiscal" ? [fiscalRow(facts)] : []));
}

/** Tags 1013, 1037, 1041. */
export function machineRows(identity: RegisterIdentity): Row[] {
  return [pair("ЗН ККТ", identity.serialNumber), pair("РН ККТ", identity.registrationNumber), pair("ФН", identity.driveNumber)];
}

/** Tags 1040 and 1077. */
export function fiscalRow(facts: FiscalFacts): Row {
  return pair(`ФД № ${facts.documentNumber}`, `ФП ${facts.fiscalSign}`);
}
