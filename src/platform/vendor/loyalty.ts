import type { Secret } from "../../kernel/secret.ts";
import { PlatformFailure } from "../api/failure.ts";
import { pathOf, type Trouble, type VendorBounds, type VendorLine } from "./line.ts";
import type { InstallationId } from "./status.ts";
import { has, type Told } from "./told.ts";

/** How tills reach our programme. */
export interface LoyaltyConnection {
  readonly url: string;
  /** The key with which tills call us. It is kept on our side before it is sent: see `connectLoyalty`. */
  readonly token: Secret;
  /** Whether buyers are looked for with us as well. */
  readonly externalSearch: boolean;
}

type LoyaltyResult =
  /** The platform has it. Its first success may make ours the account's active discount system. */
  | { readonly kind: "connected" }
  /** 404 with 2004. */
  | { readonly kind: "not-installed"; readonly told: Told }
  /** 400 with 2006: the descriptor has no loyaltyApi. */
  | { readonly kind: "not-in-descriptor"; readonly told: Told }
  /** 400 with 2007: neither SettingsRequired nor Activated now. Later it may be taken. */
  | { readonly kind: "not-settled"; readonly told: Told }
  | Trouble;

/**
 * Connects the account's tills to our programme (platform-contracts 3.8). The token must be kept before this is called: the other
 * way round a platform that took it, and whose answer was lost, calls with a key that we do not know. Needed again after Install;
 * after Resume the platform still has it. Safe to repeat.
 */
export function connectLoyalty(
  line: VendorLine,
  id: InstallationId,
  connection: LoyaltyConnection,
  bounds: VendorBounds = {},
): Promise<LoyaltyResult> {
  return send(line, id, "PUT", connection, bounds);
}

/** Changes what is named, and leaves the rest. Safe to repeat: what is named is set, never added to. */
export async function changeLoyalty(
  line: VendorLine,
  id: InstallationId,
  changes: Partial<LoyaltyConnection>,
  bounds: VendorBounds = {},
): Promise<LoyaltyResult> {
  if (Object.values(changes).every((each) => each === undefined))
    throw new PlatformFailure("unsayable", "a change of loyalty that changes nothing");
  return send(line, id, "PATCH", changes, bounds);
}

async function send(
  line: VendorLine,
  id: InstallationId,
  method: "PUT" | "PATCH",
  { url, token, externalSearch }: Partial<LoyaltyConnection>,
  bounds: VendorBounds,
): Promise<LoyaltyResult> {
  const { answer } = await line.call({
    appId: id.appId,
    method,
    path: pathOf(id, "loyalty"),
    body: { url, token: token?.reveal(), externalSearch },
    secrets: token === undefined ? [] : [token],
    again: "harmless",
    bounds,
  });
  if (answer.kind === "good") return { kind: "connected" };
  if (answer.kind !== "refused") return answer;
  const { told } = answer;
  if (told.status === 404 && has(told, 2004)) return { kind: "not-installed", told };
  if (told.status === 400 && has(told, 2006)) return { kind: "not-in-descriptor", told };
  return told.status === 400 && has(told, 2007) ? { kind: "not-settled", told } : answer;
}
