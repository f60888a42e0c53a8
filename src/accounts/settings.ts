import { createHash } from "node:crypto";
import type { Clock } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import { newestInSteps } from "../kernel/work/newest-in-steps.ts";
import { PLATFORM_ID } from "../model/operation.ts";
import type { Seal } from "../security/seal.ts";
import type { Store } from "../store/database.ts";
import { holdName } from "../store/dialects/named-lock.ts";
import { type Actor, OPERATOR, writeAudit } from "./audit.ts";
import type { InstallationKey } from "./installation.ts";
import type { Db } from "./installation-queries.ts";
import { withKeptSecrets } from "./kept-secrets.ts";
import {
  deleteSetting,
  type OperationPlace,
  type SettingRow,
  selectAnySetting,
  selectSettings,
  storesOfStep,
  storesWithSetting,
  upsertSetting,
} from "./setting-queries.ts";
import {
  BUILT_IN_SETTINGS,
  describeSetting,
  SETTING_NAMES,
  type SettingName,
  type StoreSettings,
  settingNamed,
  settingsSchema,
} from "./settings-schema.ts";

/** The store id for all points of sale of an account. */
export const WHOLE_ACCOUNT = "*";

/** Settings that may contain passwords. They are stored sealed and shown without passwords. */
const SEALED: readonly SettingName[] = ["register", "acquirer"];

export interface SettingsServices {
  store: Store;
  seal: Seal;
  clock: Clock;
  /** Defaults from the server's configuration. They override the built-in defaults. */
  defaults: Partial<StoreSettings>;
  /** Checks the address of a register without touching a device. */
  parseRegister(address: string): { kind: "address" } | { kind: "invalid"; problem: string };
  /** Returns why the account may not use the register at this address. Without this function every account may use every register. */
  registerProblem?(db: Db, key: InstallationKey, address: string): Promise<string | undefined>;
  /** Checks the setting `acquirer` without asking a bank. */
  parseAcquirer(setting: string): ParsedSetting;
  /** True when this server can send e-mail to owners. */
  sendsMail?: boolean;
}

/** A setting `acquirer`. `shown`: the setting without its secrets. */
export type ParsedSetting = { kind: "account"; shown: string } | { kind: "none" } | { kind: "invalid"; problem: string };

interface ShownSetting {
  storeId: string;
  name: string;
  /** The value with every password as ***. */
  shown: string;
}

/** A setting with its version. Every change of the value changes the version, even a change of a secret. */
export interface VersionedSetting extends ShownSetting {
  version: string;
}

/** The version of an absent setting. */
export const NOT_SET = "";

/**
 * A change of one setting. An empty text removes the setting. `seen`: the version that the person was shown. Without `seen` the setting is
 * changed whatever its version.
 */
export interface WantedSetting {
  name: string;
  text: string;
  seen?: string;
}

export type SettingsChange =
  /** `names`: the settings whose value has changed. */
  | { kind: "changed"; names: readonly SettingName[] }
  | { kind: "refused"; problems: readonly { name: string; problem: string }[] }
  /** These settings were changed after the person saw them. Nothing was changed now. `shown`: the present value; empty when not set. */
  | { kind: "overtaken"; settings: readonly { name: string; shown: string; version: string }[] };

type SettingChange = { kind: "set" } | { kind: "removed" } | { kind: "refused"; problem: string };

/**
 * The settings of points of sale, from four sources: built-in, configuration, whole account, one point of sale. A later source overrides an
 * earlier source. Nothing is cached: a change by the command line applies to the next operation, even to a register in use (its password,
 * options or time zone).
 */
export class Settings {
  readonly #services: SettingsServices;

  constructor(services: SettingsServices) {
    this.#services = services;
  }

  /**
   * Returns the settings of a point of sale. @throws Failure for an unreadable stored value: `seal-key`, `seal-broken`,
   * `setting-unreadable`.
   */
  async of(appId: string, accountId: string, storeId: string): Promise<StoreSettings> {
    const key = { appId, accountId };
    const rows = await this.#services.store.read((db) => selectSettings(db, key, [WHOLE_ACCOUNT, storeId]));
    const layer = (id: string) => Object.assign({}, ...rows.filter((row) => row.store_id === id).map((row) => this.#valueOf(row)));
    const isSet = (setting: SettingName) => rows.some(({ name }) => name === setting);
    const chosen = {
      ...(isSet("taxSystem") ? { taxSystemIsSet: true } : {}),
      ...(isSet("timeZone") ? { timeZoneIsSet: true } : {}),
    };
    return { ...BUILT_IN_SETTINGS, ...this.#services.defaults, ...layer(WHOLE_ACCOUNT), ...layer(storeId), ...chosen };
  }

  /** Returns all settings of the account and its points of sale, without secrets. */
  async list(key: InstallationKey): Promise<ShownSetting[]> {
    const rows = await this.#services.store.read((db) => selectSettings(db, key));
    return rows.map((row) => ({ storeId: row.store_id, name: row.name, shown: this.#shown(row) }));
  }

  /** The settings of a point of sale and of the whole account, each with its version. */
  async versions(key: InstallationKey, storeId: string): Promise<VersionedSetting[]> {
    const rows = await this.#services.store.read((db) => selectSettings(db, key, [WHOLE_ACCOUNT, storeId]));
    return rows.map((row) => ({ storeId: row.store_id, name: row.name, shown: this.#shown(row), version: versionOf(row) }));
  }

  /**
   * Returns a text that a person sends back, with the stored secrets in place of ***. A hidden part without a stored secret is dropped.
   * Does not check the text.
   */
  async filledIn(key: InstallationKey, storeId: string, name: SettingName, text: string): Promise<string> {
    const rows = await this.#services.store.read((db) => selectSettings(db, key, [storeId, storeId]));
    return this.#filledIn(rows, name, text);
  }

  /** Sets one value from its text; an empty text removes it. `refused` says what is wrong, or lists the accepted values. */
  async set(key: InstallationKey, storeId: string, name: string, text: string, actor: Actor = OPERATOR): Promise<SettingChange> {
    const change = await this.change(key, storeId, [{ name, text }], actor);
    if (change.kind === "refused") return { kind: "refused", problem: change.problems[0]?.problem ?? "" };
    return { kind: text.trim() === "" ? "removed" : "set" };
  }

  /**
   * Changes settings of one point of sale in one commit, all or none, each with its audit line. Safe to repeat: a setting with the wanted
   * value is not changed.
   */
  async change(key: InstallationKey, storeId: string, wanted: readonly WantedSetting[], actor: Actor): Promise<SettingsChange> {
    return this.#services.store.commit(async (tx) => {
      // Two changes of the same settings wait for each other. Two persons who saw the same version could otherwise both pass the check of
      // the version, and the change of one of them would be lost silently.
      await holdName(tx, ["settings", key.appId, key.accountId, storeId].join(" "));
      const rows = await selectSettings(tx, key, [storeId, storeId]);
      const filled = wanted.map((one) => ({ ...one, text: this.#filledIn(rows, one.name, one.text.trim()) }));
      const problems: { name: string; problem: string }[] = [];
      for (const { name, text } of filled) {
        const problem = this.#problemOf(storeId, name, text) ?? (await this.#registerProblem(tx, key, name, text));
        if (problem !== undefined) problems.push({ name, problem });
      }
      if (problems.length > 0) return { kind: "refused", problems };
      const due = filled.filter((one) => !this.#has(rows, one));
      const overtaken = due.filter(({ name, seen }) => seen !== undefined && seen !== versionOf(rowNamed(rows, name)));
      if (overtaken.length > 0) return { kind: "overtaken", settings: overtaken.map(({ name }) => this.#standing(rows, name)) };
      const names = due.map(({ name }) => settingNamed(name)).filter((name) => name !== undefined);
      for (const { name, text } of due) await this.#write(tx, { key, storeId, actor }, rowNamed(rows, name), { name, text });
      return { kind: "changed", names };
    });
  }

  async #write(
    tx: Db,
    { key, storeId, actor }: { key: InstallationKey; storeId: string; actor: Actor },
    before: SettingRow | undefined,
    { name, text }: { name: string; text: string },
  ): Promise<void> {
    const setting = settingNamed(name);
    if (setting === undefined) return;
    const row = text === "" ? undefined : this.#rowOf(key, storeId, setting, text);
    if (row === undefined) await deleteSetting(tx, key, storeId, setting);
    else await upsertSetting(tx, row);
    const line = { storeId, act: "setting", subject: setting } as const;
    await writeAudit(
      tx,
      { atMs: this.#services.clock.nowMs(), key, actor },
      {
        ...line,
        ...(before === undefined ? {} : { before: this.#shown(before) }),
        ...(row === undefined ? {} : { after: this.#shown(row) }),
      },
    );
  }

  #problemOf(storeId: string, name: string, text: string): string | undefined {
    const setting = settingNamed(name);
    if (setting === undefined) return `there is no setting "${name}"; known are ${SETTING_NAMES.join(", ")}`;
    const problem = placeProblem(setting, storeId);
    if (problem !== undefined) return problem;
    if (text.length > MAX_TEXT_LENGTH) return `${setting} takes ${describeSetting(setting).values}`;
    return text === "" ? undefined : this.#valueProblem(setting, text);
  }

  async #registerProblem(db: Db, key: InstallationKey, name: string, text: string): Promise<string | undefined> {
    if (name !== "register" || text === "") return undefined;
    const problem = await this.#services.registerProblem?.(db, key, text);
    return problem === undefined ? undefined : `register: ${problem}`;
  }

  #filledIn(rows: readonly SettingRow[], name: string, text: string): string {
    if (!SEALED.some((sealed) => sealed === name)) return text;
    const row = rowNamed(rows, name);
    return withKeptSecrets(text, row === undefined ? undefined : this.#readable(row));
  }

  /** True when the setting already has this text. A stored secret that cannot be opened counts as another text. */
  #has(rows: readonly SettingRow[], { name, text }: { name: string; text: string }): boolean {
    const row = rowNamed(rows, name);
    return (row === undefined ? "" : this.#readable(row)) === text;
  }

  #standing(rows: readonly SettingRow[], name: string): { name: string; shown: string; version: string } {
    const row = rowNamed(rows, name);
    return { name, shown: row === undefined ? "" : this.#shown(row), version: versionOf(row) };
  }

  #readable(row: SettingRow): string | undefined {
    try {
      return this.#textOf(row);
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  /** True when a register is set for the whole account or for a point of sale. */
  hasRegister(key: InstallationKey): Promise<boolean> {
    return this.#services.store.read((db) => selectAnySetting(db, key, "register"));
  }

  /** Returns the points of sale that have a setting of their own. Reads no values, of which an account may have many thousands. */
  async storesSet(key: InstallationKey): Promise<string[]> {
    const stores = await this.#services.store.read((db) => storesWithSetting(db, key));
    return stores.filter((id) => id !== WHOLE_ACCOUNT);
  }

  /** Returns the points of sale with an operation or a setting. Looks at all operations of the account, so no request of a till uses it. */
  async knownStores(key: InstallationKey): Promise<string[]> {
    const { store } = this.#services;
    const withSetting = await this.storesSet(key);
    const all = Number.POSITIVE_INFINITY;
    const used = await newestInSteps<OperationPlace, string>(all, (step) => store.read((db) => storesOfStep(db, key, step)));
    return [...new Set([...withSetting, ...used])].filter((id) => id !== WHOLE_ACCOUNT).sort();
  }

  #valueProblem(name: SettingName, text: string): string | undefined {
    if (!settingsSchema.shape[name].safeParse(text).success) return `${name} takes ${describeSetting(name).values}`;
    if (name === "alertEmail" && this.#services.sendsMail !== true) return NO_MAIL;
    const parsed =
      name === "register" ? this.#services.parseRegister(text) : name === "acquirer" ? this.#services.parseAcquirer(text) : undefined;
    return parsed?.kind === "invalid" ? `${name}: ${parsed.problem}` : undefined;
  }

  #rowOf({ appId, accountId }: InstallationKey, storeId: string, name: SettingName, text: string): SettingRow {
    const sealed = SEALED.includes(name);
    const row = { app_id: appId, account_id: accountId, store_id: storeId, name, updated_at_ms: this.#services.clock.nowMs() };
    return { ...row, value: sealed ? this.#services.seal.seal(text, placeOf(row)) : text, sealed: sealed ? 1 : 0 };
  }

  /** Returns the setting for people. For a secret that cannot be opened it returns the reason, so that the other settings stay visible. */
  #shown(row: SettingRow): string {
    try {
      return this.#withoutSecrets(row.name, this.#textOf(row));
    } catch (error) {
      if (error instanceof Failure) return `(${error.message})`;
      throw error;
    }
  }

  #withoutSecrets(name: string, text: string): string {
    if (name !== "acquirer") return withoutPasswords(text);
    const parsed = this.#services.parseAcquirer(text);
    // A text that cannot be parsed may contain a secret anywhere, so it is hidden whole.
    return parsed.kind === "account" ? parsed.shown : parsed.kind === "none" ? text : "***";
  }

  #textOf(row: SettingRow): string {
    return row.sealed === 1 ? this.#services.seal.open(row.value, placeOf(row)) : row.value;
  }

  /** Returns an object with the value of one setting. Empty for a setting that this version of the server does not know. */
  #valueOf(row: SettingRow): Partial<StoreSettings> {
    const name = settingNamed(row.name);
    if (name === undefined) return {};
    const read = settingsSchema.shape[name].safeParse(this.#textOf(row));
    if (read.success) return { [name]: read.data };
    throw new Failure(
      "setting-unreadable",
      "fault",
      `The stored setting ${name} of ${row.store_id} takes ${describeSetting(name).values}: set it again`,
    );
  }
}

const NO_MAIL = "alertEmail: this server sends no e-mail; whoever runs it names an smtp channel in ALERT_CHANNEL or CODE_CHANNEL";

/** Twice the length of the longest values: `register` and `acquirer` have at most 512 characters. */
const MAX_TEXT_LENGTH = 1_024;

/** Returns a register's address with every password as ***. */
function withoutPasswords(text: string): string {
  return text.replaceAll(/([?&][a-z]*password=)[^&]*/gi, "$1***");
}

function placeProblem(name: SettingName, storeId: string): string | undefined {
  if (storeId !== WHOLE_ACCOUNT && !PLATFORM_ID.test(storeId)) {
    return `"${storeId}" is no point of sale: an id of 1 to 64 letters, digits and hyphens, or ${WHOLE_ACCOUNT} for the whole account`;
  }
  const accountOnly = describeSetting(name).scope === "account" && storeId !== WHOLE_ACCOUNT;
  return accountOnly ? `${name} is set for the whole account: use ${WHOLE_ACCOUNT} as the point of sale` : undefined;
}

function placeOf(row: Pick<SettingRow, "app_id" | "account_id" | "store_id" | "name">): string {
  return `settings/${row.app_id}/${row.account_id}/${row.store_id}/${row.name}`;
}

function rowNamed(rows: readonly SettingRow[], name: string): SettingRow | undefined {
  return rows.find((row) => row.name === name);
}

/** Returns a hash of the stored value. Each sealing gives another value, so a new secret always has a new version. */
function versionOf(row: SettingRow | undefined): string {
  return row === undefined ? NOT_SET : createHash("sha256").update(row.value).digest("base64url").slice(0, VERSION_LENGTH);
}

/** Characters of a version: 96 bits distinguish all values of a setting. */
const VERSION_LENGTH = 16;
