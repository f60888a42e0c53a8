import { type Actor, actorNamed } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { LoyaltyConnections } from "../../loyalty/connection/connections.ts";
import type { GiftCards } from "../../loyalty/gift-cards/gift-cards.ts";
import type { Members } from "../../loyalty/members/members.ts";
import type { Programmes } from "../../loyalty/programme-versions/programmes.ts";
import type { LoyaltyServices } from "../../loyalty/services.ts";
import type { LoyaltyUpkeep } from "../../loyalty/upkeep.ts";

/**
 * The services for a person's work on loyalty. They may also be used beside a running server, because each action on points is one
 * transaction with the account locked.
 */
export interface LoyaltyDesk {
  services: LoyaltyServices;
  members: Members;
  programmes: Programmes;
  giftCards: Pick<GiftCards, "issue" | "find">;
  connections: Pick<LoyaltyConnections, "tell" | "said">;
  upkeep: Pick<LoyaltyUpkeep, "run">;
}

/** The account and the person of an action, for the ledger and for versions of programmes. */
export interface Acting {
  key: InstallationKey;
  /** `operator`, or the person's login. */
  actor: string;
  /** Where the action was requested. Absent: `actorNamed` decides by the actor's name. */
  place?: Actor["place"];
}

/** Returns the person of an action, for the audit. */
export function actorOf({ actor, place }: Acting): Actor {
  return place === undefined ? actorNamed(actor) : { name: actor, place };
}
