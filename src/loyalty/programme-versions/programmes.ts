import { actorNamed, writeAudit } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { nextTurn } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";
import type { ExpiryPeriod, Programme, ProgrammeInForce } from "../programme/programme.ts";
import { defaultProgramme, type ProgrammeReading, readProgramme } from "../programme/read-programme.ts";
import type { LoyaltyServices } from "../services.ts";
import {
  addProgramme,
  addProgrammeAfter,
  newestProgramme,
  newestVersion,
  programmeOfVersion,
  programmeWithTime,
} from "./programme-queries.ts";

/** A programme and its version, which each sale stores. Version 0 is the default programme, in force until a programme is set. */
export interface Version {
  version: number;
  programme: Programme;
}

export type Current = Version & ProgrammeInForce;

type ProgrammeChange = { kind: "set"; version: number } | Extract<ProgrammeReading, { kind: "refused" }>;

/** `overtaken`: the version in force is not the version that the person saw. Nothing was stored. */
type ProgrammeReplacement = ProgrammeChange | { kind: "overtaken"; version: number };

/**
 * The largest number of entries in each map. Above it the oldest entry is dropped. Parsed programmes are kept because each quote needs its
 * programme.
 */
const MAX_READ = 200;

/** The largest number of versions that are read for the ends of lots: the newest versions. */
const MAX_PERIODS = 1_000;

/** When lots end, by each version of the programme up to `version`. */
interface KnownPeriods {
  version: number;
  periods: readonly ExpiryPeriod[];
}

export class Programmes {
  readonly #services: Pick<LoyaltyServices, "store" | "clock">;
  readonly #hasChannel: boolean;
  readonly #default: Current;
  readonly #read = new Map<string, Version>();
  /** By account. */
  readonly #periods = new Map<string, KnownPeriods>();
  /** The programmes last read as in force, for use while the database is not available. */
  readonly #last = new Map<string, Version>();

  constructor(services: Pick<LoyaltyServices, "store" | "clock">, hasChannel: boolean) {
    this.#services = services;
    this.#hasChannel = hasChannel;
    const programme = defaultProgramme();
    this.#default = { version: 0, programme, periods: [{ fromMs: Number.NEGATIVE_INFINITY, expiry: programme.expiry }] };
  }

  /**
   * Reads the versions that this process has not read yet, each in its own turn of the event loop: a programme may have a megabyte, and an
   * account any number of versions. Call it before `current`, which reads all remaining versions in one turn.
   */
  async prepare(key: InstallationKey): Promise<void> {
    const { store } = this.#services;
    const version = await store.read((db) => newestVersion(db, key));
    if (version === undefined) return;
    let known = this.#knownBefore(key, version);
    while (known.version < version) {
      const from = known;
      known = await store.read((db) => this.#withNext(db, key, from));
      this.#keepPeriods(key, known);
      await nextTurn();
    }
  }

  /** Returns the programme in force. Throws `loyalty-programme-unreadable`. */
  async current(db: Db, key: InstallationKey): Promise<Current> {
    const stored = await newestProgramme(db, key);
    const version = stored === undefined ? this.#default : this.#versionOf(key, stored.version, stored.content);
    keep(this.#last, nameOf(key), version);
    return { ...version, periods: stored === undefined ? this.#default.periods : await this.#periodsUpTo(db, key, version) };
  }

  async #periodsUpTo(db: Db, key: InstallationKey, { version }: Version): Promise<readonly ExpiryPeriod[]> {
    let known = this.#knownBefore(key, version);
    while (known.version < version) known = await this.#withNext(db, key, known);
    this.#keepPeriods(key, known);
    return known.periods;
  }

  /** Returns the remembered periods. When there are none, or they include versions after `version`, the reading starts anew. */
  #knownBefore(key: InstallationKey, version: number): KnownPeriods {
    const known = this.#periods.get(nameOf(key));
    if (known !== undefined && known.version <= version) return known;
    return { version: Math.max(0, version - MAX_PERIODS), periods: this.#default.periods };
  }

  /** Consecutive versions with the same rule form one period. An unreadable version changes no rule. */
  async #withNext(db: Db, key: InstallationKey, { version, periods }: KnownPeriods): Promise<KnownPeriods> {
    const next = version + 1;
    const stored = await programmeWithTime(db, key, next);
    const reading = stored === undefined ? undefined : readProgramme(stored.content, { hasChannel: true, isStored: true });
    if (stored === undefined || reading === undefined || reading.kind === "refused") return { version: next, periods };
    const { expiry } = reading.programme;
    if (JSON.stringify(expiry) === JSON.stringify(periods.at(-1)?.expiry)) return { version: next, periods };
    return { version: next, periods: [...periods, { fromMs: stored.set_at_ms, expiry }] };
  }

  #keepPeriods(key: InstallationKey, known: KnownPeriods): void {
    const before = this.#periods.get(nameOf(key));
    if (before === undefined || before.version < known.version) keep(this.#periods, nameOf(key), known);
  }

  /** Throws `loyalty-programme-missing` or `loyalty-programme-unreadable`. */
  async ofVersion(db: Db, key: InstallationKey, version: number): Promise<Version> {
    if (version === 0) return this.#default;
    const content = await programmeOfVersion(db, key, version);
    if (content === undefined)
      throw new Failure("loyalty-programme-missing", "fault", `Version ${version} of the programme of account ${key.accountId} is missing`);
    return this.#versionOf(key, version, content);
  }

  /** Returns the programme last read as in force, without a database query. Undefined: none is remembered. */
  remembered(key: InstallationKey): Programme | undefined {
    return this.#last.get(nameOf(key))?.programme;
  }

  /** Reads the text of a file as `set` does, but stores nothing. */
  examine(text: string): ProgrammeReading {
    return readProgramme(text, { hasChannel: this.#hasChannel });
  }

  /** Stores a valid text as the next version. */
  async set(key: InstallationKey, text: string, setBy: string): Promise<ProgrammeChange> {
    const reading = this.examine(text);
    if (reading.kind === "refused") return reading;
    const { store, clock } = this.#services;
    return store.commit(async (tx): Promise<ProgrammeChange> => {
      const setAtMs = clock.nowMs();
      const version = await addProgramme(tx, key, { content: text, setAtMs, setBy });
      await writeSet(tx, key, { version, setAtMs, setBy });
      return { kind: "set", version };
    });
  }

  /** Works like `set`, but only while the version that the person saw is still in force. */
  async replace(key: InstallationKey, text: string, setBy: string, seen: number): Promise<ProgrammeReplacement> {
    const reading = this.examine(text);
    if (reading.kind === "refused") return reading;
    const { store, clock } = this.#services;
    return store.commit(async (tx): Promise<ProgrammeReplacement> => {
      const before = (await newestProgramme(tx, key))?.version ?? 0;
      if (before !== seen) return { kind: "overtaken", version: before };
      const [setAtMs, version] = [clock.nowMs(), seen + 1];
      // Another process may have read the same version. Only one process adds the next version.
      if (!(await addProgrammeAfter(tx, key, seen, { content: text, setAtMs, setBy }))) return { kind: "overtaken", version };
      await writeSet(tx, key, { version, setAtMs, setBy });
      return { kind: "set", version };
    });
  }

  async text(key: InstallationKey): Promise<string | undefined> {
    return (await this.#services.store.read((db) => newestProgramme(db, key)))?.content;
  }

  /** A stored programme stays valid when the server has lost its channel for codes. Tills then learn that no code can be sent. */
  #versionOf(key: InstallationKey, version: number, content: string): Version {
    const name = `${nameOf(key)}/${version}`;
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const reading = readProgramme(content, { hasChannel: true, isStored: true });
    if (reading.kind === "refused") {
      const place = `Version ${version} of the programme of account ${key.accountId}`;
      throw new Failure("loyalty-programme-unreadable", "fault", `${place} cannot be read: ${reading.place} ${reading.reason}`);
    }
    const made = { version, programme: reading.programme };
    keep(this.#read, name, made);
    return made;
  }
}

async function writeSet(
  tx: Tx,
  key: InstallationKey,
  { version, setAtMs, setBy }: { version: number; setAtMs: number; setBy: string },
): Promise<void> {
  const change = { act: "programme", subject: "programme", before: String(version - 1), after: String(version) } as const;
  await writeAudit(tx, { atMs: setAtMs, key, actor: actorNamed(setBy) }, { storeId: WHOLE_ACCOUNT, ...change });
}

function nameOf({ appId, accountId }: InstallationKey): string {
  return `${appId}/${accountId}`;
}

function keep<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > MAX_READ && oldest !== undefined) map.delete(oldest);
}
