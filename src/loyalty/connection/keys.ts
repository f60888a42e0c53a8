import { createHash } from "node:crypto";
import type { InstallationKey } from "../../accounts/installation.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import { Secret } from "../../kernel/secret.ts";
import type { LoyaltyServices } from "../services.ts";
import { deleteKey, holderOfKey, insertKey, retireOtherKeys } from "./connection-queries.ts";

/** 256 bits cannot be guessed, so a hash without salt is enough to store and find a key. */
const KEY_BYTES = 32;
/** How long a replaced key stays valid. The platform may use it for a moment after it has received the new key (surface 6). */
const OVERLAP_MS = 600_000;
/**
 * How long a known key waits for the database. After this time the remembered account is used, because recalc must be answered within a
 * second.
 */
const READ_LIMIT_MS = 300;
/**
 * The largest number of remembered keys. The keys that were used last are remembered. They are accepted while the database is not
 * available.
 */
const KNOWN_KEYS = 10_000;

/** A till's account, and whether its programme is served. */
export interface TillAccount {
  key: InstallationKey;
  /** `paused`: suspended, or the setting `loyalty` is off. */
  service: "on" | "paused";
}

export type KeyReading =
  | { kind: "account"; account: TillAccount }
  /** No installation has this key, or the installation was uninstalled. */
  | { kind: "unknown" }
  /** The database did not answer. The account is as it was last read. */
  | { kind: "remembered"; account: TillAccount };

/** The access keys of tills. The server makes them, gives them to the platform and stores only their hashes. */
export class LoyaltyKeys {
  readonly #services: Pick<LoyaltyServices, "store" | "clock" | "chance">;
  readonly #known = new Map<string, TillAccount>();

  constructor(services: Pick<LoyaltyServices, "store" | "clock" | "chance">) {
    this.#services = services;
  }

  /** Makes and stores a new key. Earlier keys stay valid until the platform has confirmed the new one: see `taken`. */
  async make({ appId, accountId }: InstallationKey): Promise<Secret> {
    const { store, clock, chance } = this.#services;
    const key = chance.bytes(KEY_BYTES).toString("base64url");
    const row = { key_hash: hashOf(key), app_id: appId, account_id: accountId, added_at_ms: clock.nowMs(), retires_at_ms: null };
    await store.commit((tx) => insertKey(tx, row));
    return new Secret(key);
  }

  /** Call it when the platform has confirmed this key. All other keys of the account expire after ten minutes. */
  async taken(account: InstallationKey, key: Secret): Promise<void> {
    const { store, clock } = this.#services;
    await store.commit((tx) => retireOtherKeys(tx, account, hashOf(key.reveal()), clock.nowMs() + OVERLAP_MS));
  }

  /** Deletes a key that the platform has refused. */
  async refused(key: Secret): Promise<void> {
    await this.#services.store.commit((tx) => deleteKey(tx, hashOf(key.reveal())));
  }

  /**
   * Finds the account whose access key this is. Throws `database-failed` when the database does not answer and the key is not remembered.
   */
  async read(key: string): Promise<KeyReading> {
    const { store, clock } = this.#services;
    const hash = hashOf(key);
    try {
      const holder = await this.#inTime(
        store.read((db) => holderOfKey(db, hash, clock.nowMs())),
        this.#known.has(hash),
      );
      if (holder === undefined || holder.installationState === "uninstalled") {
        this.#known.delete(hash);
        return { kind: "unknown" };
      }
      const isOn = holder.installationState !== "suspended" && holder.setting === "on";
      const account: TillAccount = { key: { appId: holder.appId, accountId: holder.accountId }, service: isOn ? "on" : "paused" };
      this.#remember(hash, account);
      return { kind: "account", account };
    } catch (error) {
      const account = this.#known.get(hash);
      if (account === undefined) throw error;
      return { kind: "remembered", account };
    }
  }

  /** Limits the wait for the database when the key is known. */
  async #inTime<Value>(reading: Promise<Value>, isKnown: boolean): Promise<Value> {
    if (!isKnown) return reading;
    const { clock } = this.#services;
    const read = await waitUntil(clock, deadlineIn(clock, READ_LIMIT_MS), reading);
    if (read.kind === "finished") return read.value;
    throw new Failure("database-failed", "dependency", `The key was not read within ${READ_LIMIT_MS} ms`);
  }

  #remember(hash: string, account: TillAccount): void {
    this.#known.delete(hash);
    this.#known.set(hash, account);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_KEYS && oldest !== undefined) this.#known.delete(oldest);
  }
}

/**
 * Returns the hash under which a key is stored. Nobody can make guesses whose hashes come closer and closer to a stored hash, so the time
 * of the look-up reveals nothing about a key.
 */
function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
