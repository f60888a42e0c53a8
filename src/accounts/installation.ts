import type { Secret } from "../kernel/secret.ts";

/**
 * The states of an installation (platform-contracts 3.7). An installation that never existed has no row.
 *
 * Install and Resume make an installation `active` when the set-up is complete, otherwise `settings_required`. The last missing setting
 * turns `settings_required` into `active`. Suspend and Uninstall stop the work and delete the access token; all settings stay. Fiscal
 * requests are refused unless the installation is `active`.
 */
export type InstallationState = "settings_required" | "active" | "suspended" | "uninstalled";

export const INSTALLED: readonly InstallationState[] = ["active", "settings_required", "suspended"];
export const EVERY_STATE: readonly InstallationState[] = [...INSTALLED, "uninstalled"];

/** One customer's installation of one catalogue entry. Installations of two entries on one account are independent. */
export interface InstallationKey {
  appId: string;
  accountId: string;
}

export interface Installation extends InstallationKey {
  state: InstallationState;
  accountName: string;
  subscription?: Subscription;
  access?: Access[];
  /** True when an access token for the platform's JSON API is stored. */
  hasAccessToken: boolean;
  installedAtMs: number;
  updatedAtMs: number;
}

/** Installations for a person, the oldest first. */
export interface ListedInstallations {
  found: Installation[];
  unreadable: UnreadableInstallation[];
}

/** `problem`: the column that cannot be read, and why, without the column's value. */
export interface UnreadableInstallation extends InstallationKey {
  problem: string;
}

/** The customer's subscription, in the platform's words. Only shown to people. */
export interface Subscription {
  tariffId?: string;
  tariffName?: string;
  trial?: boolean;
  /** RFC 3339. */
  expiryMoment?: string;
  notForResale?: boolean;
  partner?: boolean;
}

/** The rights that the customer granted, without the access token. */
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

/** `additional.fiscalApi`: the caller's registration id, and the key that proves its requests. */
export interface FiscalKeyArrival {
  registrationId: string;
  key: { kind: "key"; spki: Buffer } | { kind: "unusable"; problem: string };
}

/** The installation of a registration id, and the keys that prove its requests. */
export interface FiscalParty extends InstallationKey {
  state: InstallationState;
  /** Keys that prove requests now: first the key in force, then replaced keys until they retire. */
  keys: FiscalKey[];
  /** Why the newest key cannot be used. Replaced keys may still be valid for some minutes. */
  keyProblem?: string;
}

export interface FiscalKey {
  /** SubjectPublicKeyInfo, DER; RSA of at least 2048 bits. */
  spki: Buffer;
  /** When the key retires. Absent: the key is in force. */
  retiresAtMs?: number;
}
