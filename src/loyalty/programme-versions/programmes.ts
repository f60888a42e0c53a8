import { actorNamed, writeAudit } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";
import type { ExpiryPeriod, Programme, ProgrammeInForce } from "../programme/programme.ts";
import { defaultProgramme, type ProgrammeReading, readProgramme } from "../programme/read-programme.ts";
import type { LoyaltyServices } from "../services.ts";
import { addProgramme, addProgrammeAfter, newestProgramme, programmeOfVersion, programmesUpTo } from "./programme-queries.ts";

/** A programme and its version, which a sale stores. Version 0 is the default programme, which is in force while none was set. */
export interface Version {
  version: number;
  programme: Programme;
}

/** The version in force. */
export type Current = Version & ProgrammeInForce;

type ProgrammeChange = { kind: "set"; version: number } | Extract<ProgrammeReading, { kind: "refused" }>;

/** `overtaken`: another version is in force than the one that was seen, and nothing was stored. */
type ProgrammeReplacement = ProgrammeChange | { kind: "overtaken"; version: number };

/** The largest number of parsed programmes in each map, the newest. Each quote needs its programme, so the parsed programme is kept. */
const MAX_READ = 200;

/** The programmes of installations, version by version. */
export class Programmes {
  readonly #services: Pick<LoyaltyServices, "store" | "clock">;
  readonly #hasChannel: boolean;
  readonly #default: Current;
  /** By account and version. A version never changes. */
  readonly #read = new Map<string, Version>();
  /** The periods up to a version, by account and version. */
  readonly #periods = new Map<string, readonly ExpiryPeriod[]>();
  /** The programme that was last read as the one in force, for use while the database is not available. */
  readonly #last = new Map<string, Version>();

  constructor(services: Pick<LoyaltyServices, "store" | "clock">, hasChannel: boolean) {
    this.#services = services;
    this.#hasChannel = hasChannel;
    const programme = defaultProgramme();
    this.#default = { version: 0, programme, periods: [{ fromMs: Number.NEGATIVE_INFINITY, expiry: programme.expiry }] };
  }

  /** The programme in force, read with the caller's transaction or connection. */
  async current(db: Db, key: InstallationKey): Promise<Current> {
    const stored = await newestProgramme(db, key);
    const version = stored === undefined ? this.#default : this.#versionOf(key, stored.version, stored.content);
    keep(this.#last, nameOf(key), version);
    return { ...version, periods: stored === undefined ? this.#default.periods : await this.#periodsUpTo(db, key, version) };
  }

  /** Neighbours with one rule are one period. A version that can no longer be read changes no rule. */
  async #periodsUpTo(db: Db, key: InstallationKey, { version }: Version): Promise<readonly ExpiryPeriod[]> {
    const name = `${nameOf(key)}/${version}`;
    const known = this.#periods.get(name);
    if (known !== undefined) return known;
    const periods = [...this.#default.periods];
    for (const { content, set_at_ms: fromMs } of await programmesUpTo(db, key, version)) {
      const reading = readProgramme(content, { hasChannel: true });
      if (reading.kind === "refused") continue;
      const { expiry } = reading.programme;
      if (JSON.stringify(expiry) !== JSON.stringify(periods.at(-1)?.expiry)) periods.push({ fromMs, expiry });
    }
    keep(this.#periods, name, periods);
    return periods;
  }

  /** Returns a stored version of the programme. Throws `loyalty-programme-missing`. */
  async ofVersion(db: Db, key: InstallationKey, version: number): Promise<Version> {
    if (version === 0) return this.#default;
    const content = await programmeOfVersion(db, key, version);
    if (content === undefined)
      throw new Failure("loyalty-programme-missing", "fault", `Version ${version} of the programme of account ${key.accountId} is missing`);
    return this.#versionOf(key, version, content);
  }

  /** Returns the programme in force as it was last read, without asking the database. Undefined: it was never read. */
  remembered(key: InstallationKey): Programme | undefined {
    return this.#last.get(nameOf(key))?.programme;
  }

  /** Reads the text of a file as `set` does, and stores nothing. */
  examine(text: string): ProgrammeReading {
    return readProgramme(text, { hasChannel: this.#hasChannel });
  }

  /** Stores the text of a file as the next version, when the text is a valid programme. */
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

  /** Sets the next version like `set`, while the version that the person has seen is still in force. */
  async replace(key: InstallationKey, text: string, setBy: string, seen: number): Promise<ProgrammeReplacement> {
    const reading = this.examine(text);
    if (reading.kind === "refused") return reading;
    const { store, clock } = this.#services;
    return store.commit(async (tx): Promise<ProgrammeReplacement> => {
      const before = (await newestProgramme(tx, key))?.version ?? 0;
      if (before !== seen) return { kind: "overtaken", version: before };
      const [setAtMs, version] = [clock.nowMs(), seen + 1];
      // Another process may have read the same version: one of the two adds the next one.
      if (!(await addProgrammeAfter(tx, key, seen, { content: text, setAtMs, setBy }))) return { kind: "overtaken", version };
      await writeSet(tx, key, { version, setAtMs, setBy });
      return { kind: "set", version };
    });
  }

  /** Returns the text of the programme in force. Undefined: the default programme is in force. */
  async text(key: InstallationKey): Promise<string | undefined> {
    return (await this.#services.store.read((db) => newestProgramme(db, key)))?.content;
  }

  /**
   * Parses a stored programme. It stays valid when the server no longer has a channel for codes: a till is then told that no code can be
   * sent.
   */
  #versionOf(key: InstallationKey, version: number, content: string): Version {
    const name = `${nameOf(key)}/${version}`;
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const reading = readProgramme(content, { hasChannel: true });
    if (reading.kind === "refused") {
      const place = `Version ${version} of the programme of account ${key.accountId}`;
      throw new Failure("loyalty-programme-unreadable", "fault", `${place} cannot be read: ${reading.place} ${reading.reason}`);
    }
    const made = { version, programme: reading.programme };
    keep(this.#read, name, made);
    return made;
  }
}

/** The line of audit, in the transaction of the change. */
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
