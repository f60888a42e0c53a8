import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { Holdings } from "../../src/cluster/holdings.ts";
import { Membership } from "../../src/cluster/membership.ts";
import { pause, systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { Leases } from "../../src/store/lease.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import type { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { shadowed } from "../simulation/cluster/shared-database.ts";
import { DeviceProgram } from "../simulation/processes/device-program.ts";
import { DATABASE_KINDS, type TestDatabase } from "../support/databases.ts";
import { millionRow } from "./cluster-million.ts";
import { benchServer, type Makes, openedTill } from "./cluster-servers.ts";
import { median, type Part, type Row, rounded, withFloor } from "./row.ts";

const SALES = 120;
const WARM_UP = 15;
const REGISTERS = 200;
/** The default lease. With a shorter one, the commits of the takeover would count for more. */
const LEASE_MS = 3_000;
const IDLE_MS = 24_000;

/** Two processes on one PostgreSQL, compared with one process. */
export const clusterBench: Part = {
  prefix: "cluster.",
  async run(note, only): Promise<Row[]> {
    const postgres = DATABASE_KINDS.find(({ kind }) => kind === "postgres");
    if (postgres === undefined || postgres.missing !== undefined) {
      note(`no rows of a cluster without PostgreSQL: ${postgres?.missing ?? ""}`);
      return [];
    }
    note("cluster.two is not measured here: it needs four processors");
    const makes = () => postgres.make();
    const wants = (name: string) => name.startsWith(only) || only.startsWith(name);
    const rows: Row[] = [];
    if (wants("cluster.sale") || wants("cluster.forwarded")) rows.push(...(await saleRows(makes, note)));
    if (wants("cluster.takeover")) rows.push(await takeoverRow(makes));
    if (wants("cluster.idle")) rows.push(await idleRow(makes));
    if (wants("cluster.million")) rows.push(await millionRow(makes, note));
    return rows;
  },
};

/** The same sales at a single process, at the holder of a cluster, and at the process beside the holder, in turns. */
async function saleRows(makes: Makes, note: (text: string) => void): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-cluster-"));
  const databases = [await makes(), await makes()] as const;
  const devices = [new DeviceProgram(join(folder, "device-1")), new DeviceProgram(join(folder, "device-2"))];
  const servers: ServerProcess[] = [];
  try {
    const start = async (name: string, at: number, environment: Record<string, string>) => {
      const [database, device] = [databases[at], devices[at]];
      if (database === undefined || device === undefined) throw new Error("a database or a device is missing");
      const server = benchServer(join(folder, name), { database, device, environment });
      servers.push(server);
      await server.start();
      return server;
    };
    for (const database of databases) await (await database.open()).migrate();
    for (const device of devices) await device.start();
    const alone = await start("alone", 0, {});
    const url = async () => ({ CLUSTER_URL: `http://127.0.0.1:${await freePort()}` });
    const [holder, other] = [await start("holder", 1, await url()), await start("other", 1, await url())];
    const tills = { alone: await openedTill(alone), shared: await openedTill(holder) };
    const times = { alone: [] as number[], holder: [] as number[], other: [] as number[] };
    const bytes = { sent: 0, answered: 0 };
    for (let sale = 0; sale < SALES + WARM_UP; sale += 1) {
      for (const [name, till, server] of [
        ["alone", tills.alone, alone],
        ["holder", tills.shared, holder],
        ["other", tills.shared, other],
      ] as const) {
        const beganMs = systemClock.monotonicMs();
        const { status, body } = await till.newSale().at(server);
        if (status !== 200) throw new Error(`a sale was answered ${status}: ${body.slice(0, 200)}`);
        bytes.answered = body.length;
        if (sale >= WARM_UP) times[name].push(systemClock.monotonicMs() - beganMs);
      }
    }
    bytes.sent = SENT_BYTES;
    const [aloneMs, holderMs, otherMs] = [median(times.alone), median(times.holder), median(times.other)];
    const readMs = await rowReadMs(await openStore(shadowed(databases[1].options)));
    const tripMs = await roundTripMs(bytes);
    note(`a sale: alone ${rounded(aloneMs)}, at the holder ${rounded(holderMs)}, beside it ${rounded(otherMs)} ms`);
    note(`one row read ${rounded(readMs)} ms, a bare round trip ${rounded(tripMs)} ms`);
    return [
      withFloor({ name: "cluster.sale", value: rounded(holderMs), unit: "ms" }, aloneMs + readMs),
      withFloor({ name: "cluster.forwarded", value: rounded(otherMs), unit: "ms" }, holderMs + tripMs),
    ];
  } finally {
    for (const server of servers) await server.kill();
    for (const device of devices) await device.kill();
    for (const database of databases) await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The number of bytes with which one process passes on an operation of one or two positions. */
const SENT_BYTES = 1_500;

async function rowReadMs(store: Store): Promise<number> {
  const times: number[] = [];
  for (let read = 0; read < SALES; read += 1) {
    const beganMs = systemClock.monotonicMs();
    await sql`select token from leases where name = 'register none'`.execute(store.db);
    times.push(systemClock.monotonicMs() - beganMs);
  }
  await store.close();
  return median(times);
}

/** The time of a forwarded sale's bytes there and back, over one kept connection, without any other work. */
async function roundTripMs({ sent, answered }: { sent: number; answered: number }): Promise<number> {
  const answer = Buffer.alloc(answered, "a");
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end(answer));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const times: number[] = [];
  for (let trip = 0; trip < SALES; trip += 1) {
    const beganMs = systemClock.monotonicMs();
    await (await fetch(url, { method: "POST", body: new Uint8Array(sent) })).arrayBuffer();
    times.push(systemClock.monotonicMs() - beganMs);
  }
  server.closeAllConnections();
  server.close();
  return median(times);
}

/** The time from the death of a process to the moment at which another process holds the last of its registers. */
async function takeoverRow(makes: Makes): Promise<Row> {
  const database = await makes();
  try {
    await (await database.open()).migrate();
    const [dying, living] = [await member(database), await member(database)];
    const registers = Array.from({ length: REGISTERS }, (_, at) => `shtrih-m+tcp://10.0.0.${at}:7778`);
    for (const register of registers) await dying.holdings.enter(register);
    await pause(systemClock, LEASE_MS);
    dying.die();
    const beganMs = systemClock.monotonicMs();
    // Each register has a till of its own, which asks again and again.
    const till = async (register: string) => {
      while (!(await living.holdings.enter(register))) await pause(systemClock, 10);
    };
    await Promise.all(registers.map(till));
    const tookMs = systemClock.monotonicMs() - beganMs;
    living.die();
    return withFloor({ name: "cluster.takeover", value: rounded(tookMs), unit: "ms" }, LEASE_MS);
  } finally {
    await database.drop();
  }
}

/** The statements of an idle process in a second, with all registers and with one. */
async function idleRow(makes: Makes): Promise<Row> {
  const database = await makes();
  try {
    await (await database.open()).migrate();
    const rates: number[] = [];
    for (const count of [1, REGISTERS]) {
      const one = await member(database);
      for (let at = 0; at < count; at += 1) await one.holdings.enter(`shtrih-m+tcp://10.1.0.${at}:7778`);
      const before = one.statements();
      await pause(systemClock, IDLE_MS);
      rates.push((one.statements() - before) / (IDLE_MS / 1_000));
      one.die();
      await one.holdings.giveAllAway();
    }
    const [withOne = Number.NaN, withAll = Number.NaN] = rates;
    return withFloor({ name: "cluster.idle", value: rounded(withAll), unit: "statements/s" }, withOne);
  } finally {
    await database.drop();
  }
}

/** A process of a cluster without its server. `die` stops its timers and gives nothing back. */
async function member(database: TestDatabase) {
  const store = await database.open();
  let statements = 0;
  let alive = true;
  const counted: Pick<Store, "commit" | "read"> = {
    commit: (work) => {
      statements += 1;
      return store.commit(work);
    },
    read: (work) => {
      statements += 1;
      return store.read(work);
    },
  };
  const clock = {
    ...systemClock,
    after: (delayMs: number, callback: () => void) => systemClock.after(delayMs, () => (alive ? callback() : undefined)),
  };
  const observe = { renewed() {}, takenOver() {}, fenced() {}, forwarded() {} };
  const self = { id: systemChance.uuid(), url: `http://${systemChance.uuid()}:9101`, version: "1", keyCheck: "key", sessionPid: 0 };
  const membership = new Membership({ store: counted, clock, log: silentLog, leaseMs: LEASE_MS, self, observe });
  const leases = new Leases({ store: counted, clock, chance: systemChance, leaseMs: LEASE_MS, keeper: membership.keeperOf("register") });
  const parts = { membership, leases, log: silentLog, observe, idle: async () => {}, release: async () => {} };
  const holdings = new Holdings(parts);
  await membership.join();
  membership.start();
  return {
    holdings,
    statements: () => statements,
    die: () => {
      alive = false;
    },
  };
}
