import type { Secret } from "../kernel/secret.ts";

/**
 * The life of an installation (platform-contracts 3.7); the one that never was has no row.
 *
 * Install and Resume make it `active` when the set-up is complete, else `settings_required`; the last
 * missing setting makes that `active`. Suspend and Uninstall stop it and wipe its token, every setting
 * stays. Only an `active` installation is served.
 */
export type InstallationState = "settings_required" | "active" | "suspended" | "uninstalled";

/** One customer's copy of one catalogue entry. Two entries on one account never touch each other. */
export interface InstallationKey {
  appId: string;
  accountId: string;
}

export interface Installation extends InstallationKey {
  state: InstallationState;
  accountName: string;
  subscription?: Subscription;
  access?: Access[];
  /** Whether a token for the platform's JSON API is held. */
  hasAccessToken: boolean;
  installedAtMs: number;
  updatedAtMs: number;
}

/** What the customer pays for, as the platform words it; kept for people, decides nothing. */
export interface Subscription {
  tariffId?: string;
  tariffName?: string;
  trial?: boolean;
  /** RFC 3339. */
  expiryMoment?: string;
  notForResale?: boolean;
  partner?: boolean;
}

/** What the customer granted; the token to it is kept apart. */
export interface Access {
  resource: string;
  scope: string[];
  permissions?: unknown;
}

/** What an activation brings. What is absent leaves alone what is stored. */
export interface Activation {
  accountName?: string;
  accessToken?: Secret;
  access?: Access[];
  subscription?: Subscription;
  fiscalKey?: FiscalKeyArrival;
}

/** The pair of `additional.fiscalApi`: who will call, and the key that proves it. */
export interface FiscalKeyArrival {
  registrationId: string;
  key: { kind: "key"; spki: Buffer } | { kind: "unusable"; problem: string };
}

/** Who stands behind a registration id, for the proof of a fiscal request. */
export interface FiscalParty extends InstallationKey {
  state: InstallationState;
  /** Keys that prove its requests now: the one in force first, then superseded ones until they retire. */
  keys: FiscalKey[];
  /** Why the newest key cannot be used. Superseded keys may still be good for a few minutes. */
  keyProblem?: string;
}

export interface FiscalKey {
  /** SubjectPublicKeyInfo, DER; RSA of at least 2048 bits. */
  spki: Buffer;
  /** When it stops proving anything; absent for the one in force. */
  retiresAtMs?: number;
}
