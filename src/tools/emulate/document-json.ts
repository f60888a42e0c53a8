import { type RawTlv, readTlvs, readValue } from "../../registers/tags/tlv.ts";
import type { StoredDocument } from "../../registers/virtual/device.ts";

/** A requisite in an answer of the control port. The value of a list is an array of requisites. An unknown value is hexadecimal text. */
interface RequisiteJson {
  tag: number;
  value: string | number | RequisiteJson[];
}

/** Returns a drive's document for the control port: its facts, its decoded requisites, and its bytes. */
export function documentJson(stored: StoredDocument): Record<string, unknown> {
  const [outer] = readTlvs(stored.tlv) ?? [];
  const requisites = (outer === undefined ? [] : (readTlvs(outer.value) ?? [])).map(requisiteJson);
  const bytes = { requisites, tlv: stored.tlv.toString("hex") };
  if (stored.kind === "registration") {
    return { kind: stored.kind, documentNumber: 1, time: stored.time, fiscalSign: stored.fiscalSign, ...bytes };
  }
  const { identity: _, kind: __, document, ...facts } = stored.facts;
  return { kind: document, ...facts, reference: stored.reference, ...bytes };
}

function requisiteJson(raw: RawTlv): RequisiteJson {
  const value = readValue(raw);
  if (Buffer.isBuffer(value)) return { tag: raw.tag, value: value.toString("hex") };
  return { tag: raw.tag, value: Array.isArray(value) ? value.map(requisiteJson) : value };
}
