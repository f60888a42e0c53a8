import { createHash } from "node:crypto";
import type { Chance } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import { Secret } from "../../kernel/secret.ts";
import type { Seal } from "../../security/seal.ts";
import type { Store } from "../../store/database.ts";
import type { InstallationKey } from "../installation.ts";
import { insertLink, type LinkRow, selectLink, selectLinkBySecret, updateLink } from "./link-queries.ts";

/** How many units of a fiscal request's amounts are one rouble: 1 for roubles with decimals, 100 for kopecks. */
export type MoneyScale = 1 | 100;

/** What the server stores about its use of the platform's JSON API for one installation. */
export interface Link extends InstallationKey {
  /** The scale that the document of a sale or return has proved (interface 6, Money unit). */
  moneyScale?: MoneyScale;
  /** All changes up to this moment of the platform's clock were read. Absent: no changes were read yet. */
  readToMs?: number;
  /** When all objects except goods were last read, on the server's clock. */
  wholeReadAtMs?: number;
  /** When the newest reading ended, on the server's clock. */
  readAtMs?: number;
  /** What went wrong in the newest reading, for people. Absent: nothing. */
  readProblem?: string;
}

interface ReadingEnd {
  atMs: number;
  /** Changes up to this moment were read. Absent: the reading failed, so the next reading begins with the same changes again. */
  toMs?: number;
  /** True when all objects except goods were read, not only changed objects. */
  whole?: boolean;
  problem?: string;
}

/** The links: one for each installation, made at its first use. */
export class Links {
  readonly #services: { store: Store; seal: Seal; chance: Chance };

  constructor(services: { store: Store; seal: Seal; chance: Chance }) {
    this.#services = services;
  }

  /** Returns the link. Makes it when it is missing. */
  async of(key: InstallationKey): Promise<Link> {
    return linkOf(await this.#rowOf(key));
  }

  /** Returns the link, or undefined when there is none. */
  async find(key: InstallationKey): Promise<Link | undefined> {
    const row = await this.#services.store.read((db) => selectLink(db, key));
    return row === undefined ? undefined : linkOf(row);
  }

  /**
   * Returns the secret last segment of the address that the platform notifies. It is never logged. A secret that cannot be opened, for
   * example because SECRET_KEY has changed, is replaced. The next round of `ShopUpkeep` gives the webhooks the new address.
   */
  async webhookSecret(key: InstallationKey): Promise<Secret> {
    const { seal, store } = this.#services;
    const row = await this.#rowOf(key);
    try {
      return new Secret(seal.open(row.webhook_secret_sealed, placeOf(key)));
    } catch (error) {
      if (!(error instanceof Failure && UNREADABLE_SECRET_CODES.includes(error.code))) throw error;
      const made = this.#newSecret(key);
      await store.commit((tx) => updateLink(tx, key, { webhook_secret_sealed: made.sealed, webhook_secret_hash: made.hash }));
      return made.secret;
    }
  }

  /** Returns the installation whose webhook address ends with this secret. */
  async bySecret(secret: string): Promise<InstallationKey | undefined> {
    const row = await this.#services.store.read((db) => selectLinkBySecret(db, hashOf(secret)));
    return row === undefined ? undefined : { appId: row.app_id, accountId: row.account_id };
  }

  /** Returns the scale that a document has proved. Undefined: none yet. */
  async moneyScale(key: InstallationKey): Promise<MoneyScale | undefined> {
    return scaleOf((await this.#services.store.read((db) => selectLink(db, key)))?.money_scale ?? null);
  }

  async pinMoneyScale(key: InstallationKey, scale: MoneyScale): Promise<void> {
    await this.of(key);
    await this.#services.store.commit((tx) => updateLink(tx, key, { money_scale: scale }));
  }

  async noteReading(key: InstallationKey, { atMs, toMs, whole, problem }: ReadingEnd): Promise<void> {
    await this.of(key);
    const change = {
      read_at_ms: atMs,
      read_problem: problem ?? null,
      ...present({ read_to_ms: toMs }),
      ...(whole === true ? { whole_read_at_ms: atMs } : {}),
    };
    await this.#services.store.commit((tx) => updateLink(tx, key, change));
  }

  #newSecret(key: InstallationKey): { secret: Secret; sealed: string; hash: string } {
    const { seal, chance } = this.#services;
    const text = chance.bytes(SECRET_BYTES).toString("base64url");
    return { secret: new Secret(text), sealed: seal.seal(text, placeOf(key)), hash: hashOf(text) };
  }

  #newRow(key: InstallationKey): LinkRow {
    const { sealed, hash } = this.#newSecret(key);
    return {
      app_id: key.appId,
      account_id: key.accountId,
      webhook_secret_sealed: sealed,
      webhook_secret_hash: hash,
      money_scale: null,
      read_to_ms: null,
      whole_read_at_ms: null,
      read_at_ms: null,
      read_problem: null,
    };
  }

  async #rowOf(key: InstallationKey): Promise<LinkRow> {
    const { store } = this.#services;
    const known = await store.read((db) => selectLink(db, key));
    if (known !== undefined) return known;
    const row = this.#newRow(key);
    const kept = await store.commit(async (tx) => {
      await insertLink(tx, row);
      return selectLink(tx, key);
    });
    return kept ?? row;
  }
}

/** Failure codes for a stored secret that cannot be opened. */
const UNREADABLE_SECRET_CODES = ["seal-key", "seal-broken"];

/** The length of a secret: long enough not to be guessed, short enough for an address of 255 characters (json-api 9.1). */
const SECRET_BYTES = 24;

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function placeOf({ appId, accountId }: InstallationKey): string {
  return `platform_links/${appId}/${accountId}/webhook_secret`;
}

function scaleOf(value: number | null): MoneyScale | undefined {
  return value === 1 || value === 100 ? value : undefined;
}

function linkOf(row: LinkRow): Link {
  const moneyScale = scaleOf(row.money_scale);
  return {
    appId: row.app_id,
    accountId: row.account_id,
    ...present({ moneyScale }),
    ...(row.read_to_ms === null ? {} : { readToMs: row.read_to_ms }),
    ...(row.whole_read_at_ms === null ? {} : { wholeReadAtMs: row.whole_read_at_ms }),
    ...(row.read_at_ms === null ? {} : { readAtMs: row.read_at_ms }),
    ...(row.read_problem === null ? {} : { readProblem: row.read_problem }),
  };
}
