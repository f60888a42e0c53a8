import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import type { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import type { ClusterTill } from "../simulation/cluster/shared-database.ts";
import { DeviceProgram } from "../simulation/processes/device-program.ts";
import { postgresTool } from "../support/postgres-tool.ts";
import { benchServer, type Makes, openedTill } from "./cluster-servers.ts";
import { median, type Row, rounded, withFloor } from "./row.ts";

const FEW = 1_000;
/** The number of entries in the large journal. A smaller number is for trying the row out: the limit is for a million. */
// biome-ignore lint/style/noProcessEnv: a size for whoever tries the rows out, as of the rows of loyalty.
const MANY = Number(process.env.CLUSTER_BENCH_ENTRIES ?? 1_000_000);
/** The number of kills at each pair of servers, by turns. Chance decides whether a takeover takes one lease or up to one and two thirds. */
const KILLS = 9;
/** The drive that the register had before. The copies are its documents. */
const EARLIER_DRIVE = "9999078900000001";
const ASKED_EVERY_MS = 20;

type Database = Awaited<ReturnType<Makes>>;

/**
 * From the kill of the process that holds a register to the first answer of the other process, with many entries in the journal and with
 * few.
 */
export async function millionRow(makes: Makes, note: (text: string) => void): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-million-"));
  const pairs: PairOfServers[] = [];
  try {
    for (const entries of [FEW, MANY]) {
      const pair = new PairOfServers(join(folder, String(entries)));
      pairs.push(pair);
      const beganMs = systemClock.monotonicMs();
      await pair.start(await makes(), entries);
      note(`${entries} entries were made in ${Math.round((systemClock.monotonicMs() - beganMs) / 1_000)} s`);
    }
    const times = pairs.map(() => [] as number[]);
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (const [at, pair] of pairs.entries()) times[at]?.push(await pair.answersAfterKill());
    }
    const [fewMs = Number.NaN, manyMs = Number.NaN] = times.map(median);
    note(`first answers after a kill: ${times.map((ms) => ms.map(Math.round).join(" ")).join("; ")} ms`);
    return withFloor({ name: "cluster.million", value: rounded(manyMs), unit: "ms" }, fewMs);
  } finally {
    for (const pair of pairs) await pair.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two servers on one database, whose journal is filled with copies of a sale. */
class PairOfServers {
  readonly #folder: string;
  readonly #device: DeviceProgram;
  #database: Database | undefined;
  #till: ClusterTill | undefined;
  #holder: ServerProcess | undefined;
  #other: ServerProcess | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#device = new DeviceProgram(join(folder, "device"));
  }

  async start(database: Database, entries: number): Promise<void> {
    this.#database = database;
    await (await database.open()).migrate();
    await this.#device.start();
    const servers: ServerProcess[] = [];
    for (const name of ["one", "two"]) {
      const environment = { CLUSTER_URL: `http://127.0.0.1:${await freePort()}` };
      const server = benchServer(join(this.#folder, name), { database, device: this.#device, environment });
      await server.start();
      servers.push(server);
    }
    [this.#holder, this.#other] = servers;
    this.#till = await openedTill(this.#one("holder"));
    await this.#sell(this.#one("holder"));
    fillJournal(placeOf(database), entries);
  }

  /**
   * Kills the holder in the middle of trade, and returns the milliseconds until the other server has sold. Then the killed server runs
   * again.
   */
  async answersAfterKill(): Promise<number> {
    const [holder, other] = [this.#one("holder"), this.#one("other")];
    await this.#sell(holder);
    await holder.kill();
    const beganMs = systemClock.monotonicMs();
    await this.#sell(other);
    const tookMs = systemClock.monotonicMs() - beganMs;
    await holder.start();
    [this.#holder, this.#other] = [other, holder];
    return tookMs;
  }

  async end(): Promise<void> {
    await this.#holder?.kill();
    await this.#other?.kill();
    await this.#device.kill();
    await this.#database?.drop();
  }

  /** Sends one sale, and sends it again until it is done, also when no answer came. */
  async #sell(server: ServerProcess): Promise<void> {
    const sale = this.#till?.newSale();
    for (;;) {
      const answer = await sale?.at(server);
      if (answer?.status === 200) return;
      if (answer === undefined || ![0, 409, 503].includes(answer.status))
        throw new Error(`a sale was answered ${answer?.status}: ${answer?.body}`);
      await pause(systemClock, ASKED_EVERY_MS);
    }
  }

  #one(which: "holder" | "other"): ServerProcess {
    const server = which === "holder" ? this.#holder : this.#other;
    if (server === undefined) throw new Error("the servers were not started");
    return server;
  }
}

function placeOf({ options }: Database): { url: string; schema: string } {
  if (options.kind !== "postgres" || options.schema === undefined) throw new Error("the benchmark of a cluster needs PostgreSQL");
  return { url: options.url, schema: options.schema };
}

/**
 * Adds so many copies of the newest done sale, in one transaction. They are of the same shop and register, but of its earlier drive. `psql`
 * does it, because the connections of a server have a time limit that is too short for this.
 */
function fillJournal({ url, schema }: { url: string; schema: string }, entries: number): void {
  const age = `(${entries} - n) * 1000 + 86400000`;
  postgresTool(
    "psql",
    url,
    "--set=ON_ERROR_STOP=1",
    "--quiet",
    "--single-transaction",
    "--command",
    `set local search_path = ${schema};
     create temporary table source on commit drop as
       select max(id) as id, max(id) + 100 as first_id from entries where operation = 'sale' and state = 'done';
     insert into entries overriding system value
       select copy.* from source
         join entries on entries.id = source.id
         cross join generate_series(1, ${entries}) n
         cross join jsonb_populate_record(entries, jsonb_build_object(
           'id', source.first_id + n, 'document_id', 'copy-' || n, 'content_hash', 'copy-' || n, 'twin', 'copy-' || n,
           'drive_number', '${EARLIER_DRIVE}', 'accepted_at_ms', entries.accepted_at_ms - (${age}),
           'moved_at_ms', entries.moved_at_ms - (${age}))) copy;
     insert into moves
       select copy.* from source
         join moves on moves.entry_id = source.id
         cross join generate_series(1, ${entries}) n
         cross join jsonb_populate_record(moves, jsonb_build_object(
           'entry_id', source.first_id + n, 'at_ms', moves.at_ms - (${age}), 'number', 0,
           'drive_number', case when moves.drive_number is null then null else '${EARLIER_DRIVE}' end,
           'document_number', case when moves.document_number is null then null else n end)) copy;
     select setval(pg_get_serial_sequence('entries', 'id'), (select max(id) from entries));`,
  );
  postgresTool("psql", url, "--quiet", "--command", `analyze ${schema}.entries, ${schema}.moves`);
}
