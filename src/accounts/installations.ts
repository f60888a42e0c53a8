import type { Clock } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import { present } from "../kernel/present.ts";
import { Secret } from "../kernel/secret.ts";
import type { Seal } from "../security/seal.ts";
import { jsonIn, type RowPlace } from "../store/columns.ts";
import type { Store } from "../store/database.ts";
import { holdName } from "../store/dialects/named-lock.ts";
import { type Actor, PLATFORM, SERVER, writeAudit } from "./audit.ts";
import {
  type Activation,
  EVERY_STATE,
  type FiscalKey,
  type FiscalKeyArrival,
  type FiscalParty,
  INSTALLED,
  type Installation,
  type InstallationKey,
  type InstallationState,
  type ListedInstallations,
  type UnreadableInstallation,
} from "./installation.ts";
import {
  type Db,
  type FiscalKeyRow,
  type InstallationChange,
  type InstallationRow,
  replaceKey,
  selectHolders,
  selectInstallation,
  selectInstallations,
  selectKeys,
  selectKeysInForce,
  type Tx,
  updateInstallation,
  upsertInstallation,
} from "./installation-queries.ts";
import { accessSchema, subscriptionSchema } from "./stored-schema.ts";

/** How long a replaced key still proves requests signed before the change (platform-contracts 3.4). */
const KEY_OVERLAP_MS = 10 * 60_000;

/** The installations of the solution, and the keys that prove their requests. Every change is one commit. */
export class Installations {
  readonly #store: Store;
  readonly #seal: Seal;
  readonly #clock: Clock;

  constructor(services: { store: Store; seal: Seal; clock: Clock }) {
    this.#store = services.store;
    this.#seal = services.seal;
    this.#clock = services.clock;
  }

  async get(key: InstallationKey): Promise<Installation | undefined> {
    const row = await this.#store.read((db) => selectInstallation(db, key));
    return row === undefined ? undefined : installationOf(row);
  }

  /** For a person's requests. An installation whose row cannot be read is listed apart, and the others are read all the same. */
  async list(filter: { accountId?: string; state?: InstallationState } = {}): Promise<ListedInstallations> {
    const rows = await this.#store.read((db) => selectInstallations(db, filter));
    const found: Installation[] = [];
    const unreadable: UnreadableInstallation[] = [];
    for (const row of rows) {
      try {
        found.push(installationOf(row));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        unreadable.push({ appId: row.app_id, accountId: row.account_id, problem: error.message });
      }
    }
    return { found, unreadable };
  }

  /** Returns the keys of the installations in one of the states, the oldest installation first. No row is unreadable for this method. */
  async keys(states: readonly InstallationState[], of: { accountId?: string } = {}): Promise<InstallationKey[]> {
    const rows = await this.#store.read((db) => selectKeys(db, { ...of, states }));
    return rows.map((row) => ({ appId: row.app_id, accountId: row.account_id }));
  }

  /** Whether the installation is in the state. Interprets no other column, so no row is unreadable for this method. */
  async isIn(state: InstallationState, key: InstallationKey): Promise<boolean> {
    return (await this.#store.read((db) => selectInstallation(db, key)))?.state === state;
  }

  /**
   * Stores an Install or a Resume. Safe to repeat: a repeat with the same content changes only `updatedAtMs`. `cause`: the platform's word,
   * for the audit.
   */
  async activate(key: InstallationKey, activation: Activation, state: "active" | "settings_required", cause = "Install"): Promise<void> {
    await this.#store.commit(async (tx) => {
      await this.#note(tx, key, PLATFORM, { cause, state });
      await upsertInstallation(tx, key, { ...this.#changeOf(key, activation), state });
      if (activation.fiscalKey !== undefined) await this.#takeKey(tx, key, activation.fiscalKey);
    });
  }

  /**
   * Changes the account's name, the subscription, the granted rights or the fiscal key, but neither state nor access token. Returns false,
   * and changes nothing, if the installation never existed.
   */
  change(key: InstallationKey, change: Omit<Activation, "accessToken">): Promise<boolean> {
    return this.#store.commit(async (tx) => {
      const known = await updateInstallation(tx, key, this.#changeOf(key, change), EVERY_STATE);
      if (known && change.fiscalKey !== undefined) await this.#takeKey(tx, key, change.fiscalKey);
      return known;
    });
  }

  /**
   * Stores a Suspend or an Uninstall: the work stops and the token is deleted. Settings and keys stay. `absent`: the installation never
   * existed, or is uninstalled already. `cause`: the platform's word, for the audit.
   */
  async deactivate(key: InstallationKey, state: "suspended" | "uninstalled", cause: string = CAUSES[state]): Promise<"stopped" | "absent"> {
    const change = { state, access_token_sealed: null, updated_at_ms: this.#clock.nowMs() };
    const stopped = await this.#store.commit(async (tx) => {
      await this.#note(tx, key, PLATFORM, { cause, state, inStates: INSTALLED });
      return await updateInstallation(tx, key, change, INSTALLED);
    });
    return stopped ? "stopped" : "absent";
  }

  /**
   * Activates the installation after its last missing setting. Returns false if it was not waiting for settings. `actor`: who made the
   * setting, for the audit.
   */
  completeSetUp(key: InstallationKey, actor: Actor = SERVER): Promise<boolean> {
    const change = { state: "active", updated_at_ms: this.#clock.nowMs() };
    return this.#store.commit(async (tx) => {
      await this.#note(tx, key, actor, { cause: "set-up", state: "active", inStates: ["settings_required"] });
      return await updateInstallation(tx, key, change, ["settings_required"]);
    });
  }

  /**
   * Writes an audit line if the call changes the state, and the installation is in one of `inStates` (absent: in any state). Holds the
   * installation's name: otherwise two simultaneous calls would read the same state, and both would write the line of one change.
   */
  async #note(
    tx: Tx,
    key: InstallationKey,
    actor: Actor,
    { cause, state, inStates }: { cause: string; state: InstallationState; inStates?: readonly string[] },
  ): Promise<void> {
    await holdName(tx, ["installation", key.appId, key.accountId].join(" "));
    const before = (await selectInstallation(tx, key))?.state;
    if (before === state || (inStates !== undefined && (before === undefined || !inStates.includes(before)))) return;
    const line = { act: "installation", subject: cause, after: state, ...present({ before }) } as const;
    await writeAudit(tx, { atMs: this.#clock.nowMs(), key, actor }, line);
  }

  /**
   * Returns the installation with this registration id. Undefined: there is none. The id of a replaced key counts too. If several
   * installations have had a usable key with this id, returns the active installation among them. If none of them is active, returns the
   * installation with the oldest of these keys. An installation without such a key is returned only if no installation has had one.
   */
  async byRegistration(registrationId: string): Promise<FiscalParty | undefined> {
    const nowMs = this.#clock.nowMs();
    return this.#store.read(async (db) => {
      const holders = await selectHolders(db, registrationId);
      const withKey = holders.filter((holder) => holder.spki !== null);
      const holder = withKey.find(({ state }) => state === "active") ?? withKey[0] ?? holders[0];
      if (holder === undefined) return undefined;
      const key = { appId: holder.app_id, accountId: holder.account_id };
      return { ...key, state: stateOf(holder.state), ...keysOf(await selectKeysInForce(db, key, nowMs)) };
    });
  }

  /** Returns why the newest key of the installation cannot be used. Undefined: the key can be used, or no key ever came. */
  async keyProblem(key: InstallationKey): Promise<string | undefined> {
    const rows = await this.#store.read((db) => selectKeysInForce(db, key, this.#clock.nowMs()));
    return keysOf(rows).keyProblem;
  }

  /** The token for the platform's JSON API, if one is stored. @throws Failure `seal-key` or `seal-broken` when it cannot be opened. */
  async accessToken(key: InstallationKey): Promise<Secret | undefined> {
    return this.#tokenIn(await this.#store.read((db) => selectInstallation(db, key)));
  }

  /** Like `accessToken`, but undefined unless the installation is active. */
  async activeToken(key: InstallationKey): Promise<Secret | undefined> {
    const row = await this.#store.read((db) => selectInstallation(db, key));
    return row?.state === "active" ? this.#tokenIn(row) : undefined;
  }

  #tokenIn(row: InstallationRow | undefined): Secret | undefined {
    if (row === undefined || row.access_token_sealed === null) return undefined;
    const context = tokenSealContext({ appId: row.app_id, accountId: row.account_id });
    return new Secret(this.#seal.open(row.access_token_sealed, context));
  }

  #changeOf(key: InstallationKey, { accountName, accessToken, access, subscription }: Activation): InstallationChange {
    return {
      updated_at_ms: this.#clock.nowMs(),
      ...present({ account_name: accountName }),
      ...(accessToken === undefined ? {} : { access_token_sealed: this.#seal.seal(accessToken.reveal(), tokenSealContext(key)) }),
      ...(access === undefined ? {} : { permissions: JSON.stringify(access) }),
      ...(subscription === undefined ? {} : { subscription: JSON.stringify(subscription) }),
    };
  }

  /** Stores the key of an activation. Write the installation's row first: its lock separates two simultaneous activations. */
  async #takeKey(tx: Tx, key: InstallationKey, arrival: FiscalKeyArrival): Promise<void> {
    const nowMs = this.#clock.nowMs();
    // Two installations with the same registration id have no row in common.
    await holdName(tx, `registration ${arrival.registrationId}`);
    const arrived = await unusableIfTaken(tx, key, arrival);
    const spki = arrived.kind === "key" ? arrived.spki.toString("base64") : null;
    const problem = arrived.kind === "key" ? null : arrived.problem;
    const current = (await selectKeysInForce(tx, key, nowMs)).find((row) => row.retires_at_ms === null);
    const same = current?.registration_id === arrival.registrationId && current.spki === spki && current.problem === problem;
    if (same) return;
    const row = {
      registration_id: arrival.registrationId,
      app_id: key.appId,
      account_id: key.accountId,
      spki,
      problem,
      added_at_ms: nowMs,
    };
    await replaceKey(tx, row, nowMs + KEY_OVERLAP_MS);
  }
}

/** Makes a key unusable if its registration id belongs to another installation with another key. */
async function unusableIfTaken(
  tx: Db,
  key: InstallationKey,
  { registrationId, key: arrived }: FiscalKeyArrival,
): Promise<FiscalKeyArrival["key"]> {
  if (arrived.kind === "unusable") return arrived;
  const spki = arrived.spki.toString("base64");
  const holders = await selectHolders(tx, registrationId);
  const foreign = holders.filter((holder) => holder.app_id !== key.appId || holder.account_id !== key.accountId);
  const taken = foreign.some((holder) => holder.spki !== null) && !foreign.some((holder) => holder.spki === spki);
  return taken ? { kind: "unusable", problem: "the registration id already belongs to another installation" } : arrived;
}

/** The platform's words for the ends of an installation. */
const CAUSES = { suspended: "Suspend", uninstalled: "Uninstall" } as const;

function tokenSealContext({ appId, accountId }: InstallationKey): string {
  return `installations/${appId}/${accountId}/access_token`;
}

/** Throws `installation-unreadable` for a broken column, and `installation-state-unknown` for an unknown state. */
function installationOf(row: InstallationRow): Installation {
  const place: RowPlace = { failure: "installation-unreadable", table: "installations", row: `${row.app_id}/${row.account_id}` };
  return {
    appId: row.app_id,
    accountId: row.account_id,
    state: stateOf(row.state),
    accountName: row.account_name,
    hasAccessToken: row.access_token_sealed !== null,
    installedAtMs: row.installed_at_ms,
    updatedAtMs: row.updated_at_ms,
    ...(row.subscription === null ? {} : { subscription: jsonIn(place, "subscription", row.subscription, subscriptionSchema) }),
    ...(row.permissions === null ? {} : { access: jsonIn(place, "permissions", row.permissions, accessSchema) }),
  };
}

function keysOf(rows: FiscalKeyRow[]): { keys: FiscalKey[]; keyProblem?: string } {
  const keys: FiscalKey[] = [];
  for (const { spki, retires_at_ms: retiresAtMs } of rows) {
    if (spki !== null) keys.push({ spki: Buffer.from(spki, "base64"), ...(retiresAtMs === null ? {} : { retiresAtMs }) });
  }
  const problem = rows.find((row) => row.retires_at_ms === null)?.problem ?? undefined;
  return problem === undefined ? { keys } : { keys, keyProblem: problem };
}

function stateOf(text: string): InstallationState {
  const known = EVERY_STATE.find((state) => state === text);
  if (known !== undefined) return known;
  throw new Failure("installation-state-unknown", "fault", `The database holds an installation in the unknown state "${text}"`);
}
