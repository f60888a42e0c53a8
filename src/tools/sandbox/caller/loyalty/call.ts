import { withoutSlashes } from "../../../../kernel/text-end.ts";
import type { Call } from "../call.ts";
import { loyaltyJson } from "./json.ts";

/** The nine calls of the loyalty contract (platform-contracts 6.2). */
export type LoyaltyCallName = "create" | "search" | "detail" | "customer-code" | "recalc" | "sale-code" | "sale" | "return" | "gift-card";

/** The time limits of platform-contracts 6.9: short for `recalc` and `detail`, long for other calls. */
const QUICK_MS = 4_000;
const SLOW_MS = 8_000;

/** Each call's method, its path below the programme's URL, and the till's time limit. */
export const LOYALTY_CALLS: Readonly<Record<LoyaltyCallName, { method: "GET" | "POST"; path: string; timeoutMs: number }>> = {
  create: { method: "POST", path: "/counterparty", timeoutMs: SLOW_MS },
  search: { method: "GET", path: "/counterparty", timeoutMs: SLOW_MS },
  detail: { method: "POST", path: "/counterparty/detail", timeoutMs: QUICK_MS },
  "customer-code": { method: "POST", path: "/counterparty/verify", timeoutMs: SLOW_MS },
  recalc: { method: "POST", path: "/retaildemand/recalc", timeoutMs: QUICK_MS },
  "sale-code": { method: "POST", path: "/retaildemand/verify", timeoutMs: SLOW_MS },
  sale: { method: "POST", path: "/retaildemand", timeoutMs: SLOW_MS },
  return: { method: "POST", path: "/retailsalesreturn", timeoutMs: SLOW_MS },
  "gift-card": { method: "GET", path: "/giftcard", timeoutMs: SLOW_MS },
};

interface LoyaltyKey {
  readonly header: string;
  readonly token: string;
}

/** Returns a till's request. `content` is the body of a POST, or the query of a GET. */
export function loyaltyCall(name: LoyaltyCallName, content: object, { header, token }: LoyaltyKey): Call {
  const { method, path } = LOYALTY_CALLS[name];
  if (method === "GET") {
    const query = new URLSearchParams(Object.entries(content).map(([key, value]): [string, string] => [key, String(value)]));
    return { method, path: `${path}?${query}`, headers: { [header]: token } };
  }
  return { method, path, headers: { "content-type": "application/json", [header]: token }, body: loyaltyJson(content) };
}

/** Returns the programme's URL as base of calls, without the trailing slashes that a solution may send. */
export function loyaltyBase(url: string): string {
  return withoutSlashes(url);
}
