import { hostname } from "node:os";
import { hasSchemaLock } from "../../cluster/queries.ts";
import { type Clock, clockAhead } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { openStore, placeOf, type Store, type StoreOptions } from "../../store/database.ts";
import { HeldFiles } from "../../store/held-files.ts";
import { type LockHolder, lockDataDir } from "../../store/lock.ts";
import { lockSchema, type SharedSchemaLock, shareSchema } from "../../store/schema-lock.ts";
import type { Config } from "../config.ts";
import { storeOptionsOf } from "../database.ts";

/** What a running server can lose. After a loss the server must not report anything as done. */
export type Loss =
  /** From now on another server may take the database and the registers. */
  | { kind: "lock"; reason: string }
  /** Files or tables were removed, replaced or overwritten. Running work at a register may finish, and nothing new may begin. */
  | { kind: "place"; reason: string };

/** Resources that must be released, newest first. */
export class HeldResources {
  readonly #held: (() => Promise<void>)[] = [];

  keep<T>(taken: T, giveBack: (taken: T) => Promise<void>): T {
    this.#held.push(() => giveBack(taken));
    return taken;
  }

  async release(): Promise<void> {
    for (let give = this.#held.pop(); give !== undefined; give = this.#held.pop()) await give();
  }
}

export interface Taken {
  store: Store;
  /** Absent: this process has the database for itself alone. */
  session?: SharedSchemaLock;
}

/**
 * Takes the folder for this process alone, and the database alone or together with the processes of its cluster. Then opens and migrates
 * the database. `alone`: takes the database alone even if CLUSTER_URL is set, for a command that needs the server stopped. After a failure
 * the caller releases `resources`.
 */
export async function takeResources(
  resources: HeldResources,
  { config, log, alone = false }: { config: Config; log: Log; alone?: boolean },
  lost: (loss: Loss) => void,
): Promise<Taken> {
  const clock = clockAhead(config.clockAheadMs);
  const held = new HeldFiles((reason) => lost({ kind: "place", reason }));
  const holder = { pid: process.pid, host: hostname(), since: new Date(clock.nowMs()).toISOString() };
  const folder = resources.keep(await lockDataDir(config.dataDir, holder, held), (lock) => lock.release());
  const where = storeOptionsOf(config);
  const onLost = (reason: string) => lost({ kind: "lock", reason });
  const session = await lockDatabase(resources, { config, where, holder, alone }, { clock, onLost });
  const due = folder.earlierUse === undefined ? {} : { journalDue: folder.earlierUse.why };
  const shared = session === undefined ? {} : { place: session.place };
  const store = resources.keep(await openStore(where, { clock, log, held, ...due, ...shared }), (open) => open.close());
  if (session !== undefined && !(await store.read((db) => hasSchemaLock(db, session.sessionPid)))) throw leadsElsewhere();
  await store.migrate();
  folder.begun(placeOf(where));
  return { store, ...(session === undefined ? {} : { session }) };
}

interface Wanted {
  config: Config;
  where: StoreOptions;
  holder: LockHolder;
  alone: boolean;
}

async function lockDatabase(
  resources: HeldResources,
  { config, where, holder, alone }: Wanted,
  services: { clock: Clock; onLost(reason: string): void },
): Promise<SharedSchemaLock | undefined> {
  if (where.kind !== "postgres") return undefined;
  const address = { ...where, url: config.cluster?.sessionUrl.reveal() ?? where.url };
  if (config.cluster !== undefined && !alone) {
    return resources.keep(await shareSchema(address, holder, services), (lock) => lock.release());
  }
  resources.keep(await lockSchema(address, holder, services), (lock) => lock.release());
  return undefined;
}

/** The failure of a process whose lock and database are in two places. The lock would not keep other servers out of the database. */
function leadsElsewhere(): Failure {
  return new Failure(
    "configuration",
    "caller",
    "DATABASE_SESSION_URL expects the database and the schema of DATABASE_URL, and it leads to another server, database or schema",
  );
}
