import { createHash } from "node:crypto";
import type { Chance, Clock } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import { Secret } from "../kernel/secret.ts";
import type { Seal } from "../security/seal.ts";
import type { Store } from "../store/database.ts";
import type { InstallationKey } from "./installation.ts";
import {
  type HookRow,
  insertHook,
  type MerchantRow,
  selectHook,
  selectHookBySecret,
  selectMerchant,
  selectMerchants,
  updateHook,
  upsertMerchant,
} from "./merchant-queries.ts";

/** Accounts of one acquirer that a notification is tried against: shops of one installation, and those they had before. */
const MAX_TRIED_ACCOUNTS = 50;
const SECRET_BYTES = 24;
/** Failures of a sealed secret that a new secret can replace. */
const LOST_SECRET = ["seal-key", "seal-broken"];

interface MerchantServices {
  store: Pick<Store, "commit" | "read">;
  seal: Seal;
  clock: Clock;
  chance: Chance;
}

/**
 * The merchant accounts at acquirers over which an installation's payments run or ran. A payment goes on at its account after its
 * point of sale got another one, so that each setting is kept, sealed. And the secret addresses for the notifications of acquirers.
 */
export class Merchants {
  readonly #services: MerchantServices;
  /** What each account's setting was when it was stored last, so that a payment does not store it again. */
  readonly #stored = new Map<string, string>();

  constructor(services: MerchantServices) {
    this.#services = services;
  }

  /** Keeps the setting with which an account is used now. Call it before the first call to the acquirer. */
  async keep(key: InstallationKey, account: { merchant: string; acquirer: string; setting: string }): Promise<void> {
    const { store, seal, clock } = this.#services;
    const place = merchantPlace(key, account.merchant);
    if (this.#stored.get(place) === account.setting) return;
    const row: MerchantRow = {
      app_id: key.appId,
      account_id: key.accountId,
      merchant: account.merchant,
      acquirer: account.acquirer,
      setting_sealed: seal.seal(account.setting, place),
      updated_at_ms: clock.nowMs(),
    };
    await store.commit((tx) => upsertMerchant(tx, row));
    if (this.#stored.size >= MAX_STORED_NAMES) this.#stored.clear();
    this.#stored.set(place, account.setting);
  }

  /** The setting of an account; undefined when it was never used. @throws Failure `seal-key` or `seal-broken`. */
  async settingOf(key: InstallationKey, merchant: string): Promise<string | undefined> {
    const { store, seal } = this.#services;
    const row = await store.read((db) => selectMerchant(db, key, merchant));
    return row === undefined ? undefined : seal.open(row.setting_sealed, merchantPlace(key, merchant));
  }

  /** The settings of all accounts at one acquirer, the one used last first. Those that cannot be opened are left out. */
  async settingsAt(key: InstallationKey, acquirer: string): Promise<string[]> {
    const { store, seal } = this.#services;
    const rows = await store.read((db) => selectMerchants(db, key, acquirer, MAX_TRIED_ACCOUNTS));
    return rows.flatMap((row) => {
      const setting = opened(seal, row.setting_sealed, merchantPlace(key, row.merchant));
      return setting === undefined ? [] : [setting];
    });
  }

  /** The secret last segment of the notification address, made when it is first needed. Never logged. */
  async hookSecret(key: InstallationKey, acquirer: string): Promise<Secret> {
    const { store, seal } = this.#services;
    const known = await store.read((db) => selectHook(db, key, acquirer));
    const secret = known === undefined ? undefined : opened(seal, known.secret_sealed, hookPlace(key, acquirer));
    if (secret !== undefined) return new Secret(secret);
    const made = this.#newHook(key, acquirer);
    const first = await store.commit(async (tx) => {
      if (known === undefined) return insertHook(tx, made.row);
      await updateHook(tx, made.row);
      return true;
    });
    return first ? made.secret : this.hookSecret(key, acquirer);
  }

  /** The installation and acquirer whose notification address ends with this secret. */
  async byHookSecret(secret: string): Promise<(InstallationKey & { acquirer: string }) | undefined> {
    const row = await this.#services.store.read((db) => selectHookBySecret(db, hashOf(secret)));
    return row === undefined ? undefined : { appId: row.app_id, accountId: row.account_id, acquirer: row.acquirer };
  }

  #newHook(key: InstallationKey, acquirer: string): { secret: Secret; row: HookRow } {
    const { seal, chance } = this.#services;
    const text = chance.bytes(SECRET_BYTES).toString("base64url");
    const row = {
      app_id: key.appId,
      account_id: key.accountId,
      acquirer,
      secret_sealed: seal.seal(text, hookPlace(key, acquirer)),
      secret_hash: hashOf(text),
    };
    return { secret: new Secret(text), row };
  }
}

/** Each is as long as a setting. */
const MAX_STORED_NAMES = 1_000;

function opened(seal: Seal, sealed: string, place: string): string | undefined {
  try {
    return seal.open(sealed, place);
  } catch (error) {
    if (error instanceof Failure && LOST_SECRET.includes(error.code)) return undefined;
    throw error;
  }
}

function merchantPlace({ appId, accountId }: InstallationKey, merchant: string): string {
  return `acquirer_accounts/${appId}/${accountId}/${merchant}`;
}

function hookPlace({ appId, accountId }: InstallationKey, acquirer: string): string {
  return `acquirer_hooks/${appId}/${accountId}/${acquirer}`;
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
