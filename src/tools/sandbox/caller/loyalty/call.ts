import { withoutSlashes } from "../../../../kernel/text-end.ts";
import type { Call } from "../call.ts";
import { loyaltyJson } from "./json.ts";

/** The nine calls of the contract (platform-contracts 6.2). */
export type LoyaltyCallName = "create" | "search" | "detail" | "customer-code" | "recalc" | "sale-code" | "sale" | "return" | "gift-card";

/**
 * The time limits. The short limit is for calls during which the buyer waits. The long limit is for all other calls (platform-contracts
 * 6.9).
 */
const QUICK_MS = 4_000;
const SLOW_MS = 8_000;

/** The method of each call, its path below the programme's address, and how long the register waits. */
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

/** The name of the header with the access key, and the key. */
interface LoyaltyKey {
  readonly header: string;
  readonly token: string;
}

/** Returns a request of a till. `content` is the body of a POST, or the query of a GET. */
export function loyaltyCall(name: LoyaltyCallName, content: object, { header, token }: LoyaltyKey): Call {
  const { method, path } = LOYALTY_CALLS[name];
  if (method === "GET") {
    const query = new URLSearchParams(Object.entries(content).map(([key, value]): [string, string] => [key, String(value)]));
    return { method, path: `${path}?${query}`, headers: { [header]: token } };
  }
  return { method, path, headers: { "content-type": "application/json", [header]: token }, body: loyaltyJson(content) };
}

/** Returns the programme's address as the base of calls. The solution may have sent the address with a slash at its end. */
export function loyaltyBase(url: string): string {
  return withoutSlashes(url);
}
