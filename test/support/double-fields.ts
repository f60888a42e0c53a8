import { parseWallTime } from "../../src/kernel/moment.ts";

export type Fields = Record<string, unknown>;

const ID = /^[A-Za-z0-9-]{1,64}$/;
const AMOUNT = /^\d+(\.\d{1,2})?$/;
const PERCENT = /^-?\d+(\.\d+)?$/;
const QUANTITY = /^\d+(\.\d{1,6})?$/;

/** The name of the first field that is missing or has an impossible value. */
export function wrongField(operation: string, fields: Fields): string | undefined {
  const isShift = operation === "openshift" || operation === "closeshift";
  const moment = isShift ? operation.replace("shift", "Moment") : "moment";
  if (!ID.test(idOf(fields.retailShift))) return "retailShift";
  if (!isShift && !ID.test(idOf(fields))) return "meta.id";
  if (typeof fields.name !== "string") return "name";
  if (!ID.test(idOf(fields.retailStore ?? fields.retailstore))) return "retailStore";
  if (parseWallTime(String(fields[moment])) === undefined) return moment;
  if (operation.startsWith("retaildrawer")) return /^[1-9]\d*$/.test(String(fields.sum)) ? undefined : "sum";
  return isShift ? undefined : wrongTradeField(fields);
}

function wrongTradeField({ payments, positions }: Fields): string | undefined {
  if (typeof payments !== "object" || payments === null) return "payments";
  if (!Array.isArray(positions) || positions.length === 0) return "positions";
  const index = positions.findIndex((position: Fields) => {
    const { name } = { ...(position.assortment as { name?: unknown } | undefined) };
    if (typeof name !== "string" || !(Number(position.quantity) > 0)) return true;
    if (!QUANTITY.test(String(position.quantity)) || !AMOUNT.test(String(position.price))) return true;
    return !PERCENT.test(String(position.discount ?? 0)) || !PERCENT.test(String(position.vat ?? 0));
  });
  return index === -1 ? undefined : `positions[${index}]`;
}

export function idOf(reference: unknown): string {
  const meta = typeof reference === "object" && reference !== null && "meta" in reference ? reference.meta : undefined;
  return typeof meta === "object" && meta !== null && "id" in meta ? String(meta.id) : "";
}
