import { present } from "../../../../kernel/present.ts";
import type { CorrectionBasis } from "../../../../model/document.ts";
import { type RawTlv, readTlvs, readValue } from "../../../tags/tlv.ts";

const KIND = 1173;
const BASIS = 1174;
const BY_ORDER = 1;

/** Whether the virtual device makes this requisite from the basis. */
export function isBasis(tag: number): boolean {
  return tag === KIND || tag === BASIS;
}

/**
 * Returns the basis in the sent tags 1173 and 1174. `kind`: the kind of the basis; in FF4A it is a field instead of tag 1173. Undefined: a
 * requisite is missing.
 */
export function basisIn(tags: readonly RawTlv[], kind = tags.find(({ tag }) => tag === KIND)?.value[0]): CorrectionBasis | undefined {
  const inside = readTlvs(tags.find(({ tag }) => tag === BASIS)?.value ?? Buffer.alloc(0)) ?? [];
  const settledOn = textOf(inside, 1178)?.slice(0, "2026-11-28".length);
  const orderNumber = textOf(inside, 1179)?.trim();
  const description = textOf(inside, 1177);
  if (kind === undefined || settledOn === undefined) return undefined;
  const head = { settledOn, ...present({ description }) };
  if (kind !== BY_ORDER) return { kind: "own", ...head };
  return orderNumber === undefined ? undefined : { kind: "order", ...head, orderNumber };
}

function textOf(tags: readonly RawTlv[], tag: number): string | undefined {
  const found = tags.find((one) => one.tag === tag);
  const value = found === undefined ? undefined : readValue(found);
  return typeof value === "string" ? value : undefined;
}
