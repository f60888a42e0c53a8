import type { OneTimeToken } from "../../accounts/one-time-tokens.ts";
import { Numeral } from "../../http/json-body.ts";
import { parseDecimal } from "../../kernel/decimal.ts";
import { kopecksFromKopecks } from "../../kernel/money.ts";
import type { TillCall } from "../../payments/till/till-call.ts";
import type { OperationBody } from "./schema.ts";

type Amount = { kind: "kopecks"; kopecks: number } | { kind: "no-number" } | { kind: "not-allowed" };

/**
 * The amount in kopecks, from its source text: `1e3` and `1000.0` are 1000. A text in quotes is no number. Zero, negative amounts,
 * fractions of a kopeck and amounts above `MAX_KOPECKS` are numbers that are not allowed (payments surface 5).
 */
export function amountOf(value: unknown): Amount {
  if (!(value instanceof Numeral)) return { kind: "no-number" };
  const decimal = parseDecimal(value.text);
  if (decimal === undefined) return { kind: "not-allowed" };
  const kopecks = kopecksFromKopecks(decimal);
  return kopecks === undefined || kopecks < 1 ? { kind: "not-allowed" } : { kind: "kopecks", kopecks };
}

/** `receivedAtMs`: on the monotonic clock. */
export function callOf(body: OperationBody, amountKopecks: number, token: OneTimeToken, receivedAtMs: number): TillCall {
  const { accountId, retailStoreId, operationId } = body;
  return { accountId, storeId: retailStoreId, operationId, amountKopecks, token, receivedAtMs };
}
