import { type RawTlv, readTlvs, readValue } from "../../registers/tags/tlv.ts";
import type { StoredDocument } from "../../registers/virtual/device.ts";

/** A requisite as the control port tells it; a list holds requisites, what is unknown is hexadecimal. */
interface ToldRequisite {
  tag: number;
  value: string | number | ToldRequisite[];
}

/** A document of the drive as the control port tells it: its facts, our reading of its requisites, and its bytes. */
export function tell(stored: StoredDocument): Record<string, unknown> {
  const [outer] = readTlvs(stored.tlv) ?? [];
  const requisites = (outer === undefined ? [] : (readTlvs(outer.value) ?? [])).map(told);
  const bytes = { requisites, tlv: stored.tlv.toString("hex") };
  if (stored.kind === "registration") {
    return { kind: stored.kind, documentNumber: 1, time: stored.time, fiscalSign: stored.fiscalSign, ...bytes };
  }
  const { identity: _, kind: __, document, ...facts } = stored.facts;
  return { kind: document, ...facts, reference: stored.reference, ...bytes };
}

function told(raw: RawTlv): ToldRequisite {
  const value = readValue(raw);
  if (Buffer.isBuffer(value)) return { tag: raw.tag, value: value.toString("hex") };
  return { tag: raw.tag, value: Array.isArray(value) ? value.map(told) : value };
}
