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

/**
 * The maximum number of accounts at one acquirer whose secrets are tried on one notification: those that were used last. A chain of shops
 * may have an account in each shop. Former accounts count too.
 */
const MAX_TRIED_ACCOUNTS = 200;
/** How old the noted time of an account's last use may become. Each payment uses an account, and most payments write no row here. */
const USE_NOTED_AFTER_MS = 3_600_000;
const SECRET_BYTES = 24;
/** Failure codes for a sealed text that cannot be opened. `opened` treats such a text as absent. */
const UNREADABLE_SECRET_CODES = ["seal-key", "seal-broken"];

interface MerchantServices {
  store: Pick<Store, "commit" | "read">;
  seal: Seal;
  clock: Clock;
  chance: Chance;
}

/**
 * The merchant accounts of an installation, and the secret addresses for notifications. The sealed settings of former accounts stay,
 * because open payments need them.
 */
export class Merchants {
  readonly #services: MerchantServices;

  constructor(services: MerchantServices) {
    this.#services = services;
  }

  /**
   * Stores the setting that an account uses now, and the time of its use. Call it before the first call to the acquirer. Always reads the
   * stored setting, because another process may have changed it.
   */
  async keep(key: InstallationKey, account: { merchant: string; acquirer: string; setting: string }): Promise<void> {
    const { store, seal, clock } = this.#services;
    const place = merchantSealContext(key, account.merchant);
    const stored = await store.read((db) => selectMerchant(db, key, account.merchant));
    const nowMs = clock.nowMs();
    const isNoted = stored !== undefined && nowMs < stored.updated_at_ms + USE_NOTED_AFTER_MS;
    if (isNoted && opened(seal, stored.setting_sealed, place) === account.setting) return;
    const row: MerchantRow = {
      app_id: key.appId,
      account_id: key.accountId,
      merchant: account.merchant,
      acquirer: account.acquirer,
      setting_sealed: seal.seal(account.setting, place),
      updated_at_ms: nowMs,
    };
    await store.commit((tx) => upsertMerchant(tx, row));
  }

  /** The setting of an account. Undefined: none was stored. @throws Failure `seal-key` or `seal-broken`. */
  async settingOf(key: InstallationKey, merchant: string): Promise<string | undefined> {
    const { store, seal } = this.#services;
    const row = await store.read((db) => selectMerchant(db, key, merchant));
    return row === undefined ? undefined : seal.open(row.setting_sealed, merchantSealContext(key, merchant));
  }

  /**
   * Returns the settings of at most `MAX_TRIED_ACCOUNTS` accounts at one acquirer, the last used first. Leaves out settings that cannot
   * be opened.
   */
  async settingsAt(key: InstallationKey, acquirer: string): Promise<string[]> {
    const { store, seal } = this.#services;
    const rows = await store.read((db) => selectMerchants(db, key, acquirer, MAX_TRIED_ACCOUNTS));
    return rows.flatMap((row) => {
      const setting = opened(seal, row.setting_sealed, merchantSealContext(key, row.merchant));
      return setting === undefined ? [] : [setting];
    });
  }

  /**
   * Returns the secret last segment of the notification address, which is never logged. A missing secret is made, and a secret that cannot
   * be opened is replaced.
   */
  async hookSecret(key: InstallationKey, acquirer: string): Promise<Secret> {
    const { store, seal } = this.#services;
    const known = await store.read((db) => selectHook(db, key, acquirer));
    const secret = known === undefined ? undefined : opened(seal, known.secret_sealed, hookSealContext(key, acquirer));
    if (secret !== undefined) return new Secret(secret);
    const made = this.#newHook(key, acquirer);
    const isStored = await store.commit((tx) => (known === undefined ? insertHook(tx, made.row) : updateHook(tx, made.row, known)));
    return isStored ? made.secret : this.hookSecret(key, acquirer);
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
      secret_sealed: seal.seal(text, hookSealContext(key, acquirer)),
      secret_hash: hashOf(text),
    };
    return { secret: new Secret(text), row };
  }
}

function opened(seal: Seal, sealed: string, place: string): string | undefined {
  try {
    return seal.open(sealed, place);
  } catch (error) {
    if (error instanceof Failure && UNREADABLE_SECRET_CODES.includes(error.code)) return undefined;
    throw error;
  }
}

function merchantSealContext({ appId, accountId }: InstallationKey, merchant: string): string {
  return `acquirer_accounts/${appId}/${accountId}/${merchant}`;
}

function hookSealContext({ appId, accountId }: InstallationKey, acquirer: string): string {
  return `acquirer_hooks/${appId}/${accountId}/${acquirer}`;
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
