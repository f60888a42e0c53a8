import { createHash } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import type { Log } from "../../kernel/log.ts";
import { PerKeyWork } from "../../kernel/per-key-work.ts";
import type { PlatformClient } from "../../platform/client.ts";
import type { Store } from "../../store/database.ts";
import type { InstallationKey } from "../installation.ts";
import { deleteSubscription, type SubscriptionRow, selectSubscriptions, upsertSubscription } from "./subscription-queries.ts";
import { type Pair, pairName, type Settled, SubscriptionRound, WANTED } from "./subscription-round.ts";

export interface Subscription extends Pair {
  /**
   * `taken`: another integration has the webhook, so only the hourly reading finds changes. `refused`: refused for another reason, with the
   * same effect.
   */
  state: "ours" | "taken" | "refused";
  problem?: string;
  checkedAtMs: number;
}

/**
 * A `taken` or `refused` webhook is tried again after this time, or at once when the address has changed. The time is slightly less than an
 * hour, because the hourly round may come early.
 */
const REPEAT_AFTER_MS = 55 * 60_000;

/** The webhooks of each installation at the platform, and why webhooks are missing. */
export class Subscriptions {
  readonly #services: { store: Store; clock: Clock; log: Log };
  readonly #running = new PerKeyWork<void>();

  constructor(services: { store: Store; clock: Clock; log: Log }) {
    this.#services = services;
  }

  /** Returns the webhooks, for people. Empty before the first round. */
  async list(key: InstallationKey): Promise<Subscription[]> {
    return (await this.#services.store.read((db) => selectSubscriptions(db, key))).map(subscriptionOf);
  }

  /**
   * Makes the platform report every wanted change to the address, whose last segment is the installation's secret. Safe to repeat: a
   * correct webhook stays, a disabled or outdated webhook is corrected, an unwanted webhook is deleted. A refusal is stored with the
   * platform's words. Without an address nothing is done.
   *
   * @throws PlatformFailure when the platform does not answer or rejects the token. Results from before the failure are stored.
   */
  async subscribe(key: InstallationKey, client: Pick<PlatformClient, "webhooks">, address: string | undefined): Promise<void> {
    if (address === undefined) return;
    const name = JSON.stringify([key.appId, key.accountId]);
    await this.#running.join(name, undefined, () => this.#subscribe(key, client, address)).result;
  }

  async #subscribe(key: InstallationKey, client: Pick<PlatformClient, "webhooks">, address: string): Promise<void> {
    const { store, clock, log } = this.#services;
    const known = new Map((await store.read((db) => selectSubscriptions(db, key))).map((row) => [nameOf(row), row]));
    const addressHash = createHash("sha256").update(address).digest("hex");
    const nowMs = clock.nowMs();
    const isResting = (pair: Pair) => {
      const row = known.get(pairName(pair));
      const ageMs = nowMs - (row?.checked_at_ms ?? 0);
      return row !== undefined && row.state !== "ours" && row.address_hash === addressHash && ageMs >= 0 && ageMs < REPEAT_AFTER_MS;
    };
    const webhookIds = new Map([...known].flatMap(([name, row]) => (row.webhook_id === null ? [] : [[row.webhook_id, name]])));
    const round = new SubscriptionRound({ webhooks: client.webhooks, address, isResting, isKnown: (id) => webhookIds.has(id) });
    try {
      await round.run();
    } finally {
      const rows = round.settled.map((settled) => rowOf(key, settled, { addressHash, nowMs, known: known.get(pairName(settled)) }));
      await this.#keep(rows, [...known.values()]);
      reportOn(log, key, rows, known);
      if (round.notes.length > 0) log.info({ ...key, notes: round.notes }, "webhooks at the platform were put right");
    }
  }

  async #keep(rows: readonly SubscriptionRow[], known: readonly SubscriptionRow[]): Promise<void> {
    const wanted = new Set(WANTED.map(pairName));
    const unwanted = known.filter((row) => !wanted.has(nameOf(row)));
    if (rows.length === 0 && unwanted.length === 0) return;
    await this.#services.store.commit(async (tx) => {
      for (const row of rows) await upsertSubscription(tx, row);
      for (const row of unwanted) await deleteSubscription(tx, row);
    });
  }
}

function rowOf(
  { appId, accountId }: InstallationKey,
  { entityType, action, state, problem, webhookId }: Settled,
  { addressHash, nowMs, known }: { addressHash: string; nowMs: number; known: SubscriptionRow | undefined },
): SubscriptionRow {
  return {
    app_id: appId,
    account_id: accountId,
    entity_type: entityType,
    action,
    state,
    // The known id is kept: this server's webhook may still exist, although the platform does not show it now.
    webhook_id: webhookId ?? known?.webhook_id ?? null,
    problem: problem ?? null,
    address_hash: addressHash,
    checked_at_ms: nowMs,
  };
}

/** Logs only changes: the hourly round would repeat the same lines for ever. */
function reportOn(log: Log, key: InstallationKey, rows: readonly SubscriptionRow[], known: ReadonlyMap<string, SubscriptionRow>): void {
  const news = rows.filter((row) => {
    const before = known.get(nameOf(row));
    return row.state !== "ours" && (before?.state !== row.state || before.problem !== row.problem);
  });
  if (news.length === 0) return;
  const pairs = news.map((row) => ({ pair: nameOf(row), state: row.state, problem: row.problem }));
  log.warn({ ...key, pairs }, "the platform does not tell of some changes; the hourly reading finds them");
}

function nameOf({ entity_type, action }: SubscriptionRow): string {
  return pairName({ entityType: entity_type, action });
}

function subscriptionOf({ entity_type, action, state, problem, checked_at_ms }: SubscriptionRow): Subscription {
  return {
    entityType: entity_type,
    action,
    state: state === "ours" || state === "taken" ? state : "refused",
    ...(problem === null ? {} : { problem }),
    checkedAtMs: checked_at_ms,
  };
}
