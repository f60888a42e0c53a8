import type { Secret } from "../../kernel/secret.ts";
import { PlatformFailure } from "../api/failure.ts";
import { pathOf, type Trouble, type VendorBounds, type VendorLine } from "./line.ts";
import { has, type VendorReply } from "./reply.ts";
import type { InstallationId } from "./status.ts";

export interface LoyaltyConnection {
  readonly url: string;
  /** The access key of the tills. Store it before you send it: see `connectLoyalty`. */
  readonly token: Secret;
  /** Whether tills search for buyers in this programme too. */
  readonly externalSearch: boolean;
}

type LoyaltyResult =
  /** The platform has the connection. The first success may make this programme the account's active discount system. */
  | { readonly kind: "connected" }
  /** 404 with the error 2004: the solution is not installed on the account, or the account does not exist. */
  | { readonly kind: "not-installed"; readonly reply: VendorReply }
  /** 400 with the error 2006: the descriptor has no loyaltyApi. */
  | { readonly kind: "not-in-descriptor"; readonly reply: VendorReply }
  /** 400 with the error 2007: the status is neither SettingsRequired nor Activated. The platform may accept the call later. */
  | { readonly kind: "not-settled"; readonly reply: VendorReply }
  | Trouble;

/**
 * Connects the account's tills to this server's programme (platform-contracts 3.8). Store the token first: even if the platform's answer is
 * lost, tills may use the new key. Needed again after Install, but not after Resume. Safe to repeat.
 */
export function connectLoyalty(
  line: VendorLine,
  id: InstallationId,
  connection: LoyaltyConnection,
  bounds: VendorBounds = {},
): Promise<LoyaltyResult> {
  return send(line, id, "PUT", connection, bounds);
}

/** Changes the named members and keeps the rest. Safe to repeat. Throws `unsayable` when nothing is named. */
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
  const { reply } = answer;
  if (reply.status === 404 && has(reply, 2004)) return { kind: "not-installed", reply };
  if (reply.status === 400 && has(reply, 2006)) return { kind: "not-in-descriptor", reply };
  return reply.status === 400 && has(reply, 2007) ? { kind: "not-settled", reply } : answer;
}
