import { type Actor, actNoter, OPERATOR } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { messageOf } from "../../kernel/failure.ts";
import { Rounds } from "../../kernel/rounds.ts";
import type { VendorClient } from "../../platform/vendor/client.ts";
import { notInstalledWords, saidIn, troubleWords } from "../../platform/vendor/trouble-words.ts";
import type { Leases } from "../../store/lease.ts";
import type { LoyaltyServices } from "../services.ts";
import { connectionOf, deleteRetiredKeys, upsertConnection, type WantedConnection, wantedConnections } from "./connection-queries.ts";
import type { LoyaltyKeys } from "./keys.ts";

/** How often the server looks for changes that it must report to the platform. */
const LOOK_MS = 2_000;
/** The pause after the first failure. Each further failure doubles the pause, up to the longest pause. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 600_000;
/** The longest stored text of the platform's answer. People see it in one line. */
const MAX_SAID_LENGTH = 300;

interface ConnectionServices extends Pick<LoyaltyServices, "store" | "clock" | "log"> {
  keys: LoyaltyKeys;
  leases: Leases;
  vendor: Pick<VendorClient, "connectLoyalty" | "changeLoyalty">;
  /** The programme's address for tills. Undefined while the server has no address. */
  url(): string | undefined;
  externalSearch(key: InstallationKey): Promise<boolean>;
}

export type ConnectionResult =
  | { kind: "connected" }
  | { kind: "failed"; said: string }
  | { kind: "not-wanted" }
  | { kind: "busy" }
  | { kind: "no-address" };

/**
 * Sends the platform the address of each account's programme, when the setting is first switched on and after each change of the
 * installation. If only `externalSearch` has changed, sends only this value. A key is stored before it is sent, so the server has every key
 * that the platform has.
 */
export class LoyaltyConnections {
  readonly #services: ConnectionServices;
  readonly #rounds: Rounds;

  constructor(services: ConnectionServices) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, LOOK_MS, () => this.#look());
  }

  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  /**
   * Sends the platform what has changed, without a pause after earlier failures. `anew`: a person orders a new key even without a change.
   */
  async tell(key: InstallationKey, anew = false, actor: Actor = OPERATOR): Promise<ConnectionResult> {
    const { store } = this.#services;
    const wanted = (await store.read((db) => wantedConnections(db, WHOLE_ACCOUNT))).find(
      ({ appId, accountId }) => appId === key.appId && accountId === key.accountId,
    );
    return wanted === undefined ? { kind: "not-wanted" } : this.#tell(wanted, anew ? actor : undefined);
  }

  said(key: InstallationKey): Promise<{ state: string; said: string | null } | undefined> {
    return this.#services.store.read((db) => connectionOf(db, key));
  }

  async #look(): Promise<void> {
    const { store, clock, log } = this.#services;
    try {
      const nowMs = clock.nowMs();
      for (const wanted of await store.read((db) => wantedConnections(db, WHOLE_ACCOUNT))) {
        if (wanted.told?.state !== "connected" && (wanted.told?.nextTryAtMs ?? 0) > nowMs) continue;
        await this.#tell(wanted, undefined);
      }
      await store.commit((tx) => deleteRetiredKeys(tx, nowMs));
    } catch (error) {
      log.error({ error: messageOf(error) }, "the connections of loyalty programmes could not be looked at");
    }
  }

  async #tell(wanted: WantedConnection, anew: Actor | undefined): Promise<ConnectionResult> {
    const { externalSearch, leases, store, clock } = this.#services;
    const search = await externalSearch(wanted);
    const change = anew !== undefined ? "connect" : changeOf(wanted, search);
    if (change === undefined) return { kind: "connected" };
    const url = this.#services.url();
    if (url === undefined) return { kind: "no-address" };
    const lease = await leases.take(`loyalty-connection/${wanted.appId}/${wanted.accountId}`);
    if (lease === undefined) return { kind: "busy" };
    try {
      if (anew !== undefined)
        await actNoter({ store, clock })({ key: wanted, actor: anew }, { act: "key", subject: "loyalty", after: "new" });
      return await this.#send(wanted, change, url, search);
    } finally {
      await leases.release(lease);
    }
  }

  async #send(wanted: WantedConnection, change: "connect" | "search", url: string, externalSearch: boolean): Promise<ConnectionResult> {
    const { vendor, log, store, clock } = this.#services;
    const id = { appId: wanted.appId, accountId: wanted.accountId };
    const result = await (change === "connect" ? this.#connect(id, url, externalSearch) : vendor.changeLoyalty(id, { externalSearch }));
    const isConnected = result.kind === "connected";
    const said = isConnected ? null : saidOf(result).slice(0, MAX_SAID_LENGTH);
    const tries = isConnected ? 0 : (wanted.told?.tries ?? 0) + 1;
    await store.commit((tx) =>
      upsertConnection(tx, {
        app_id: id.appId,
        account_id: id.accountId,
        state: isConnected ? "connected" : "failed",
        said,
        external_search: isConnected ? (externalSearch ? 1 : 0) : null,
        installation_at_ms: isConnected ? wanted.installationAtMs : null,
        next_try_at_ms: clock.nowMs() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(Math.max(0, tries - 1), 10)),
        tries,
      }),
    );
    if (said === null) log.info({ ...id, change }, "the platform knows the loyalty programme");
    else log.warn({ ...id, change, said }, "the platform could not be told of the loyalty programme");
    return said === null ? { kind: "connected" } : { kind: "failed", said };
  }

  /**
   * Gives the platform a new key, and deletes the key if the platform refuses it. If the answer is lost, the platform may use the new or
   * the earlier key. Both keys stay valid until the platform confirms a key.
   */
  async #connect(id: InstallationKey, url: string, externalSearch: boolean): Promise<Answered> {
    const { vendor, keys } = this.#services;
    const token = await keys.make(id);
    const result = await vendor.connectLoyalty(id, { url, token, externalSearch });
    if (result.kind === "connected") await keys.taken(id, token);
    if (REFUSED.has(result.kind)) await keys.refused(token);
    return result;
  }
}

function changeOf({ told, installationAtMs }: WantedConnection, externalSearch: boolean): "connect" | "search" | undefined {
  if (told?.state !== "connected" || told.installationAtMs !== installationAtMs) return "connect";
  return told.externalSearch === externalSearch ? undefined : "search";
}

const REFUSED: ReadonlySet<Answered["kind"]> = new Set(["not-installed", "not-in-descriptor", "not-settled"]);

type Answered = Awaited<ReturnType<VendorClient["connectLoyalty"]>>;

function saidOf(result: Exclude<Answered, { kind: "connected" }>): string {
  switch (result.kind) {
    case "not-installed":
      return notInstalledWords(result.reply);
    case "not-in-descriptor":
      return `the descriptor in the platform's catalogue has no loyaltyApi (${saidIn(result.reply)})`;
    case "not-settled":
      return `the platform takes a programme once the solution is activated (${saidIn(result.reply)})`;
    default:
      return troubleWords(result);
  }
}
