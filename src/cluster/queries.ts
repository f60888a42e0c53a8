import { type Kysely, sql, type Transaction } from "kysely";
import { firstTokenAt } from "../store/lease.ts";
import type { Tables } from "../store/tables.ts";

type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export type ProcessState = "serving" | "leaving" | "lost";

/** Whether the database connection number `pid` has the schema lock of the store. */
export async function hasSchemaLock(db: Db, pid: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 2 and pid = ${pid}
      and database = (select oid from pg_database where datname = current_database())
      and objid = (hashtext(coalesce(current_schema(), 'public'))::int8 & 4294967295)::oid`.execute(db);
  return rows.length > 0;
}

export interface ProcessRow {
  /** New at each start. */
  id: string;
  url: string;
  version: string;
  leaseMs: number;
  keyCheck: string;
  sessionPid: number;
  counter: number;
  state: ProcessState;
  draining: boolean;
  sinceMs: number;
  seenMs: number;
}

/** A lease. `holder`: the process, empty when nobody has the lease. */
export interface LeaseRow {
  name: string;
  holder: string;
  token: number;
  wanted: string | null;
  sinceMs: number | null;
}

/** Distinguishes two PostgreSQL servers, and one server before and after a switch or a restore. */
export interface DatabaseIdentity {
  systemId: string;
  timeline: number;
}

/** The state of the cluster, from one statement. */
export interface Reading extends DatabaseIdentity {
  processes: readonly ProcessRow[];
  /** The leases of registers, of devices and of work that is done once in the cluster. */
  leases: readonly LeaseRow[];
  /** For each agent, the process with the agent's connection. */
  agents: Readonly<Record<string, string>>;
  generation: number;
  settled: boolean;
  /** The database's clock, for people only. */
  nowMs: number;
}

const READ_KINDS = ["register", "device", "task"];

/**
 * The timeline comes from the name of the current log file, because the control file may have an old timeline after a switch. Restoring a
 * dump makes the tables anew, which changes the number of the table `leases`.
 *
 * Server versions that run together must write the identity in the same form. Otherwise each would see the database as changed, and no
 * lease would be valid.
 */
const IDENTITY = sql`
  (select system_identifier::text from pg_control_system()) || '/' || 'leases'::regclass::oid as "systemId",
  ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int8 as timeline`;
const NOW_MS = sql`(extract(epoch from clock_timestamp()) * 1000)::int8`;

/** Reads the state of the cluster. */
export async function readCluster(db: Db): Promise<Reading> {
  const { rows } = await sql<Omit<Reading, "generation" | "settled"> & { generation: number | null; settled: number | null }>`
    select
      coalesce((select json_agg(json_build_object(
        'id', id, 'url', url, 'version', version, 'leaseMs', lease_ms, 'keyCheck', key_check, 'sessionPid', session_pid,
        'counter', counter, 'state', state, 'draining', draining = 1, 'sinceMs', since_ms, 'seenMs', seen_ms
      ) order by since_ms, id) from cluster_processes), '[]') as processes,
      coalesce((select json_agg(json_build_object(
        'name', name, 'holder', holder, 'token', token, 'wanted', wanted, 'sinceMs', since_ms
      ) order by name) from leases where kind in (${sql.join(READ_KINDS)})), '[]') as leases,
      coalesce((select json_object_agg(name, process) from agents where process is not null), '{}') as agents,
      (select generation from cluster_state where id = 1) as generation,
      (select settled from cluster_state where id = 1) as settled,
      ${NOW_MS} as "nowMs", ${IDENTITY}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("a select without a table has one row");
  return { ...row, generation: row.generation ?? 0, settled: row.settled === 1 };
}

/** Raises the counter of a process. Returns the database's identity. Undefined: the process is lost, or its row is gone. */
export async function raiseCounter(tx: Tx, id: string): Promise<DatabaseIdentity | undefined> {
  const { rows } = await sql<DatabaseIdentity>`
    update cluster_processes set counter = counter + 1, seen_ms = ${NOW_MS} where id = ${id} and state <> 'lost'
    returning ${IDENTITY}`.execute(tx);
  return rows[0];
}

/** Locks the row of a process for this transaction. False: the process is lost, or its row is gone. */
export async function isCounted(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`select 1 from cluster_processes where id = ${id} and state <> 'lost' for share`.execute(tx);
  return rows.length > 0;
}

export type NewProcess = Pick<ProcessRow, "id" | "url" | "version" | "leaseMs" | "keyCheck" | "sessionPid" | "state">;

/**
 * Writes the row of a process. An existing row, such as one in the state `lost`, gets the new state. Its counter is raised, so that every
 * watcher sees a change.
 */
export async function writeProcess(tx: Tx, { id, url, version, leaseMs, keyCheck, sessionPid, state }: NewProcess): Promise<void> {
  await sql`
    insert into cluster_processes (id, url, version, lease_ms, key_check, session_pid, counter, state, draining, since_ms, seen_ms)
    values (${id}, ${url}, ${version}, ${leaseMs}, ${keyCheck}, ${sessionPid}, 1, ${state}, 0, ${NOW_MS}, ${NOW_MS})
    on conflict (id) do update set state = excluded.state, counter = cluster_processes.counter + 1, seen_ms = excluded.seen_ms`.execute(tx);
}

/** Changes the state of a process, unless the process is lost. */
export async function setState(tx: Tx, id: string, state: ProcessState): Promise<void> {
  await sql`update cluster_processes set state = ${state} where id = ${id} and state <> 'lost'`.execute(tx);
}

/** Marks a process as drained: its registers are to move to other processes. */
export async function setDraining(tx: Tx, id: string): Promise<void> {
  await sql`update cluster_processes set draining = 1 where id = ${id}`.execute(tx);
}

/** Counts a process as lost and frees its leases. False: its counter has changed, or it was lost already. */
export async function markLost(tx: Tx, { id, counter }: Pick<ProcessRow, "id" | "counter">): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update cluster_processes set state = 'lost' where id = ${id} and counter = ${counter} and state <> 'lost'`.execute(tx);
  if (numAffectedRows !== 1n) return false;
  await freeAll(tx, id);
  return true;
}

/** Removes a process that ends, and frees its leases. */
export async function deleteProcess(tx: Tx, id: string): Promise<void> {
  await sql`delete from cluster_processes where id = ${id}`.execute(tx);
  await freeAll(tx, id);
}

/** Frees the leases of a process and marks its agents as away. A process that comes back stores its connected agents again. */
async function freeAll(tx: Tx, process: string): Promise<void> {
  await sql`update leases set holder = '', since_ms = null where holder = ${process} and kind <> ''`.execute(tx);
  await sql`update agents set connected = 0, process = null, since_ms = ${NOW_MS} where process = ${process}`.execute(tx);
}

/** How long the row of a lost process is kept for people. */
const LOST_KEPT_MS = 3_600_000;

/** Deletes the rows of lost processes that were not seen for `LOST_KEPT_MS`. */
export async function forgetLost(tx: Tx): Promise<void> {
  await sql`delete from cluster_processes where state = 'lost' and seen_ms < ${NOW_MS} - ${LOST_KEPT_MS}`.execute(tx);
}

type LivingProcess = Pick<ProcessRow, "id" | "url" | "leaseMs" | "keyCheck" | "state">;

/** Returns the processes whose lock connection exists now. They live, or the database has not noticed yet that they were cut off. */
export async function livingProcesses(tx: Tx): Promise<LivingProcess[]> {
  const { rows } = await sql<LivingProcess>`
    select id, url, lease_ms as "leaseMs", key_check as "keyCheck", state from cluster_processes
    where session_pid in (select pid from pg_stat_activity where application_name like 'fiscal %')`.execute(tx);
  return rows;
}

export interface Generation extends DatabaseIdentity {
  generation: number;
  settled: boolean;
  /** The lower bound of new tokens. */
  leastToken: number;
}

/**
 * Returns the generation of the database. A changed database begins a new generation: all leases are void, every process is lost, and
 * every agent is away until its process stores the connection. Until the transaction ends no other process can begin a generation.
 */
export async function standingGeneration(tx: Tx): Promise<Generation> {
  await sql`select pg_advisory_xact_lock(hashtextextended('fiscal-solution cluster ' || current_schema(), 0))`.execute(tx);
  const { rows } = await sql<DatabaseIdentity & StoredState>`
    select ${IDENTITY}, state.system_id as stored, state.timeline as "storedTimeline", state.generation, state.settled,
      ${NOW_MS} as "nowMs",
      (select start_number from agent_server where id = 1) as "startNumber"
    from (select 1) as one left join cluster_state as state on state.id = 1`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("a left join has at least one row");
  const { systemId, timeline } = row;
  if (row.stored === systemId && row.storedTimeline === timeline) {
    const leastToken = Math.max(row.generation * TOKENS_IN_GENERATION, row.startNumber ?? 0) + 1;
    return { systemId, timeline, generation: row.generation, settled: row.settled === 1, leastToken };
  }
  const isFirst = row.stored === null;
  const generation = isFirst ? timeline : Math.max(timeline, row.generation + 1);
  const settled = isFirst ? 1 : 0;
  // Each restore of the same dump begins a generation with the same number, but agents keep the highest token of all restores. Therefore
  // tokens also begin above a number that grows with time. In the first generation STEP is not added. Otherwise the stored number would be
  // half a second ahead of the clock, and two restores of the dump in that half second would begin at the same number.
  const startNumber = row.startNumber === null ? 0 : Math.max(row.startNumber, firstTokenAt(row.nowMs)) + (isFirst ? 0 : STEP);
  await sql`
    insert into cluster_state (id, system_id, timeline, generation, settled)
    values (1, ${systemId}, ${timeline}, ${generation}, ${settled})
    on conflict (id) do update set system_id = excluded.system_id, timeline = excluded.timeline,
      generation = excluded.generation, settled = excluded.settled`.execute(tx);
  await sql`update agent_server set start_number = greatest(start_number, ${startNumber}) where id = 1`.execute(tx);
  await sql`update leases set holder = '', since_ms = null where kind <> ''`.execute(tx);
  await sql`update agents set connected = 0, process = null, since_ms = ${NOW_MS} where process is not null`.execute(tx);
  await sql`update cluster_processes set state = 'lost'`.execute(tx);
  const leastToken = Math.max(generation * TOKENS_IN_GENERATION, startNumber) + 1;
  return { systemId, timeline, generation, settled: isFirst, leastToken };
}

interface StoredState {
  stored: string | null;
  storedTimeline: number;
  generation: number;
  settled: number;
  nowMs: number;
  startNumber: number | null;
}

/**
 * Added to the start number at each generation after the first, so that tokens grow even when the clock was set back. A register has fewer
 * holders than this in a generation. `firstTokenAt` grows by this number in half a second.
 */
const STEP = 2 ** 20;
/**
 * The lowest token of a generation is at least the generation times this number, which leaves room for all holders of a register. A start
 * number that grows with time can raise the lowest token further.
 */
const TOKENS_IN_GENERATION = 2 ** 32;

/** Stores that a whole lease time has passed since the generation began. */
export async function settleGeneration(tx: Tx, generation: number): Promise<void> {
  await sql`update cluster_state set settled = 1 where id = 1 and generation = ${generation}`.execute(tx);
}

/** Stores that the process `wanted` shall get the lease. */
export async function wantLease(tx: Tx, name: string, wanted: string): Promise<void> {
  await sql`update leases set wanted = ${wanted} where name = ${name}`.execute(tx);
}

type LeaseToken = Pick<LeaseRow, "name" | "holder" | "token">;

/** Returns the database's identity and keeps the lease valid until the transaction ends. Undefined: the lease is void. */
export async function lockStanding(tx: Tx, { name, holder, token }: LeaseToken): Promise<DatabaseIdentity | undefined> {
  const { rows } = await sql<DatabaseIdentity>`
    select ${IDENTITY} from leases where name = ${name} and holder = ${holder} and token = ${token} for share`.execute(tx);
  return rows[0];
}

/**
 * Counts the waiting operations of each register. The list of all unfinished states makes the database use the index of unfinished
 * entries.
 */
export async function countQueued(db: Db): Promise<{ register: string; count: number }[]> {
  const { rows } = await sql<{ register: string; count: number }>`
    select register, count(*) as count from entries where state in ('queued', 'sending', 'in-doubt') and state = 'queued'
    group by register`.execute(db);
  return rows;
}

/** Returns the database's identity and whether the lease is valid. Locks nothing. */
export async function readStanding(db: Db, { name, holder, token }: LeaseToken): Promise<DatabaseIdentity & { stands: boolean }> {
  const { rows } = await sql<DatabaseIdentity & { stands: boolean }>`
    select ${IDENTITY}, exists (
      select 1 from leases where name = ${name} and holder = ${holder} and token = ${token}
    ) as stands`.execute(db);
  return rows[0] ?? { systemId: "", timeline: 0, stands: false };
}
