import type { Secret } from "../kernel/secret.ts";

/**
 * The states of an installation (platform-contracts 3.7). An installation that never existed has no row.
 *
 * Install and Resume make it `active` when the set-up is complete, and `settings_required` otherwise. The last missing setting
 * turns `settings_required` into `active`. Suspend and Uninstall stop the work and wipe the access token; all settings stay. The
 * server serves only `active` installations.
 */
export type InstallationState = "settings_required" | "active" | "suspended" | "uninstalled";

/** One customer's installation of one catalogue entry. Two entries on one account are independent. */
export interface InstallationKey {
  appId: string;
  accountId: string;
}

export interface Installation extends InstallationKey {
  state: InstallationState;
  accountName: string;
  subscription?: Subscription;
  access?: Access[];
  /** Whether an access token for the platform's JSON API is stored. */
  hasAccessToken: boolean;
  installedAtMs: number;
  updatedAtMs: number;
}

/** The subscription of the customer, in the platform's words. It is shown to people and decides nothing. */
export interface Subscription {
  tariffId?: string;
  tariffName?: string;
  trial?: boolean;
  /** RFC 3339. */
  expiryMoment?: string;
  notForResale?: boolean;
  partner?: boolean;
}

/** The rights that the customer granted. The access token is stored separately. */
export interface Access {
  resource: string;
  scope: string[];
  permissions?: unknown;
}

/** The content of an activation. An absent member leaves the stored value unchanged. */
export interface Activation {
  accountName?: string;
  accessToken?: Secret;
  access?: Access[];
  subscription?: Subscription;
  fiscalKey?: FiscalKeyArrival;
}

/** The pair `additional.fiscalApi`: the registration id of the caller, and the key that proves its requests. */
export interface FiscalKeyArrival {
  registrationId: string;
  key: { kind: "key"; spki: Buffer } | { kind: "unusable"; problem: string };
}

/** The installation behind a registration id, and the keys that prove its requests. */
export interface FiscalParty extends InstallationKey {
  state: InstallationState;
  /** Keys that prove requests now: first the key in force, then superseded keys until they retire. */
  keys: FiscalKey[];
  /** Why the newest key cannot be used. Superseded keys may still be valid for a few minutes. */
  keyProblem?: string;
}

export interface FiscalKey {
  /** SubjectPublicKeyInfo, DER; RSA of at least 2048 bits. */
  spki: Buffer;
  /** When the key stops proving requests; absent for the key in force. */
  retiresAtMs?: number;
}
