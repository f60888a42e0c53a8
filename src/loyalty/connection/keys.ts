import { createHash } from "node:crypto";
import type { InstallationKey } from "../../accounts/installation.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import { Secret } from "../../kernel/secret.ts";
import type { LoyaltyServices } from "../services.ts";
import { deleteKey, holderOfKey, insertKey, retireOtherKeys } from "./connection-queries.ts";

/** 256 bits: nobody can guess a key, so that its plain hash is enough to find it by. */
const KEY_BYTES = 32;
/** How long a replaced key counts: the platform may use it until our answer about the new one has arrived (surface 6). */
const OVERLAP_MS = 600_000;
/** With the database slow a known key counts after this time: recalc has to be answered within a second. */
const READ_LIMIT_MS = 300;
/** A key that was read a moment ago is known when the database is away. At most this many, the newest. */
const KNOWN_KEYS = 10_000;

/** A till's account, and whether its programme is served. */
export interface TillAccount {
  key: InstallationKey;
  /** `paused`: suspended, or the setting `loyalty` is off. */
  service: "on" | "paused";
}

export type KeyReading =
  | { kind: "account"; account: TillAccount }
  /** The key is of no installation, or of one that was uninstalled. */
  | { kind: "unknown" }
  /** The database is away. The account is as it was read last. */
  | { kind: "remembered"; account: TillAccount };

/** The keys with which tills call: made here, given to the platform, kept as hashes. */
export class LoyaltyKeys {
  readonly #services: Pick<LoyaltyServices, "store" | "clock" | "chance">;
  readonly #known = new Map<string, TillAccount>();

  constructor(services: Pick<LoyaltyServices, "store" | "clock" | "chance">) {
    this.#services = services;
  }

  /** Makes and stores a new key. The keys before it count on, until the platform is known to have it: see `taken`. */
  async make({ appId, accountId }: InstallationKey): Promise<Secret> {
    const { store, clock, chance } = this.#services;
    const key = chance.bytes(KEY_BYTES).toString("base64url");
    const row = { key_hash: hashOf(key), app_id: appId, account_id: accountId, added_at_ms: clock.nowMs(), retires_at_ms: null };
    await store.commit((tx) => insertKey(tx, row));
    return new Secret(key);
  }

  /** The platform has this key. All others of the account count for ten minutes more. */
  async taken(account: InstallationKey, key: Secret): Promise<void> {
    const { store, clock } = this.#services;
    await store.commit((tx) => retireOtherKeys(tx, account, hashOf(key.reveal()), clock.nowMs() + OVERLAP_MS));
  }

  /** The platform has refused this key, so nobody will ever use it. */
  async refused(key: Secret): Promise<void> {
    await this.#services.store.commit((tx) => deleteKey(tx, hashOf(key.reveal())));
  }

  /** Finds the account whose access key this is. Throws `database-failed` when the database is away and the key was never seen. */
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

  /** A key that is known needs no slow database. */
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

/** The hash of a wrong key differs from every stored one in unpredictable places, so that finding it takes no telling time. */
function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
