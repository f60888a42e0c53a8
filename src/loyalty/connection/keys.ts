import { createHash } from "node:crypto";
import type { InstallationKey } from "../../accounts/installation.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import { Secret } from "../../kernel/secret.ts";
import type { LoyaltyServices } from "../services.ts";
import { deleteKey, holderOfKey, insertKey, retireOtherKeys } from "./connection-queries.ts";

/** 256 random bits cannot be guessed, so a hash without salt is enough. */
const KEY_BYTES = 32;
/** How long a replaced key stays valid. The platform may use the old key for a moment after it receives the new key (surface 6). */
const OVERLAP_MS = 600_000;
/**
 * How long reading a remembered key waits for the database. Afterwards the remembered account is used, because `recalc` must be answered
 * within a second.
 */
const READ_LIMIT_MS = 300;
/** The largest number of remembered keys, which are the keys used last. Remembered keys are accepted while the database is down. */
const KNOWN_KEYS = 10_000;

export interface TillAccount {
  key: InstallationKey;
  /** `paused`: the installation is suspended, or the setting `loyalty` is not on. */
  service: "on" | "paused";
}

export type KeyReading =
  | { kind: "account"; account: TillAccount }
  /** No installation has this key, the key has expired, or the installation was uninstalled. */
  | { kind: "unknown" }
  /** The database failed or was too slow. `account` is the last known state. */
  | { kind: "remembered"; account: TillAccount };

/** Makes and checks the access keys of tills. Stores only their hashes. */
export class LoyaltyKeys {
  readonly #services: Pick<LoyaltyServices, "store" | "clock" | "chance">;
  readonly #known = new Map<string, TillAccount>();

  constructor(services: Pick<LoyaltyServices, "store" | "clock" | "chance">) {
    this.#services = services;
  }

  /** Makes and stores a new key. Earlier keys stay valid until `taken` confirms the new key. */
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

  async refused(key: Secret): Promise<void> {
    await this.#services.store.commit((tx) => deleteKey(tx, hashOf(key.reveal())));
  }

  /** Finds the account of an access key. Throws `database-failed` when the database does not answer and the key is not remembered. */
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

/** Returns the hash of a key. A caller cannot steer the hash of a guess towards a stored hash, so the look-up time reveals nothing. */
function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
