import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import type { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import {
  ClusterTill,
  clusterProcess,
  lookInto,
  ownDatabase,
  type TappedConnection,
  type TillAnswer,
  twoProcesses,
  wireTap,
} from "../simulation/cluster/shared-database.ts";
import { allowedMs } from "../support/hostile/yardstick.ts";
import { type DeviceProcess, startDevice } from "../support/shtrih-m-device-process.ts";

/** The time limit of starts of programs, takeovers and sales, on a machine that does other work too. */
const LIMIT_MS = 600_000;
const CONTROL = ["--control", "127.0.0.1:0"];

describe("two processes on one database, struck", { timeout: LIMIT_MS }, () => {
  it("a holder that is paused in the middle of a sale sends not one byte more after it wakes, and the sale is made once", async () => {
    const device = await startDevice(...CONTROL);
    let listening = false;
    const position = Promise.withResolvers<void>();
    const tap = await wireTap(device.address, (bytes) => {
      if (listening && bytes.includes(POSITION)) position.resolve();
    });
    const [holder, other] = await twoProcesses({ DEFAULT_REGISTER: tap.address });
    const till = new ClusterTill(2);
    await till.install(holder);
    expect(await till.openShift(holder)).toMatchObject({ status: 200 });

    listening = true;
    const sale = till.newSale();
    const interrupted = sale.at(holder);
    await position.promise;
    process.kill(holder.pid, "SIGSTOP");
    const held = [...tap.connections];
    const sold = await repeatedUntil(200, () => sale.at(other));
    const before = held.map(bytesOf);

    process.kill(holder.pid, "SIGCONT");
    // The till has waited too long, so it may be told to repeat.
    expect([200, 409]).toContain((await interrupted).status);
    expect(await sale.at(holder)).toEqual(sold);
    expect(await till.newSale().decidedAt(holder)).toMatchObject({ status: 200 });
    expect(held.map(bytesOf)).toEqual(before);
    const { documents } = await device.order({ do: "documents" });
    expect(documents).toMatchObject([{ kind: "registration" }, { kind: "open-shift" }, { kind: "receipt" }, { kind: "receipt" }]);
  });

  it("sell once what a till repeats, while each is killed in turn", async () => {
    const device = await startDevice(...CONTROL);
    const processes = await twoProcesses({ DEFAULT_REGISTER: device.address });
    const till = new ClusterTill(3);
    await till.install(processes[0]);
    await repeatedUntil(200, () => till.openShift(processes[0]));
    for (let death = 0; death < DEATHS; death += 1) {
      const [dying, living] = death % 2 === 0 ? processes : [processes[1], processes[0]];
      for (let sale = 0; sale < SALES_A_DEATH - 1; sale += 1) await repeatedUntil(200, () => till.newSale().at(living));
      const sale = till.newSale();
      const cutOff = sale.at(dying);
      await pause(systemClock, STRIKE_MS * (death + 1));
      await dying.kill();
      await cutOff;
      const sold = await repeatedUntil(200, () => sale.at(living));
      await dying.start();
      expect(await repeatedUntil(200, () => sale.at(dying))).toEqual(sold);
    }
    expect(await receiptsOf(device)).toBe(DEATHS * SALES_A_DEATH);
  });

  it("refuse nothing while each is stopped and started again, behind a proxy that asks whether they are ready", async () => {
    const device = await startDevice(...CONTROL);
    const processes = await twoProcesses({ DEFAULT_REGISTER: device.address });
    const till = new ClusterTill(4);
    await till.install(processes[0]);
    await repeatedUntil(200, () => till.openShift(processes[0]));
    const proxy = new ReadyProxy(processes);
    let over = false;
    const answers: TillAnswer[] = [];
    const load = (async () => {
      while (!over) answers.push(await proxy.send((server) => till.newSale().decidedAt(server)));
    })();
    for (const process of processes) {
      await process.stop();
      await process.start();
      await proxy.untilReady(process);
    }
    over = true;
    await load;
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await receiptsOf(device)).toBe(answers.length);
  });

  it("end one that loses its connection for the lock, with one line and code 1, and go on with what a supervisor starts", async () => {
    const device = await startDevice(...CONTROL);
    const database = await ownDatabase();
    const environment = { DEFAULT_REGISTER: device.address };
    const [one, two] = [await clusterProcess(database, environment), await clusterProcess(database, environment)];
    await Promise.all([one.server.start(), two.server.start()]);
    const till = new ClusterTill(6);
    await till.install(one.server);
    await repeatedUntil(200, () => till.openShift(one.server));
    const sale = till.newSale();
    const sold = await repeatedUntil(200, () => sale.at(one.server));

    const store = await lookInto(database);
    const startedMs = systemClock.monotonicMs();
    await sql`select pg_terminate_backend(session_pid::int) from cluster_processes where url = ${one.clusterUrl}`.execute(store.db);
    expect(await one.server.ended).toBe("exit code 1");
    const tookMs = systemClock.monotonicMs() - startedMs;
    expect(tookMs).toBeLessThan(allowedMs(tookMs, ENDS_WITHIN_MS));
    const complaints = one.server.tail().filter((line) => line.includes('"level":"error"'));
    expect(complaints).toEqual([expect.stringContaining("the lock of the database is lost: another server may have it now")]);

    expect(await repeatedUntil(200, () => sale.at(two.server))).toEqual(sold);
    const next = till.newSale();
    const nextSold = await repeatedUntil(200, () => next.at(two.server));
    await one.server.start();
    expect(await repeatedUntil(200, () => next.at(one.server))).toEqual(nextSold);
    await two.server.stop();
    await repeatedUntil(200, () => till.newSale().at(one.server));
    expect(await receiptsOf(device)).toBe(3);
  });

  it("let a sale at the register end and answer it, although the journal was overwritten meanwhile, and end with one line about it", async () => {
    const device = await startDevice(...CONTROL);
    let listening = false;
    const position = Promise.withResolvers<void>();
    const tap = await wireTap(device.address, (bytes) => {
      if (!listening || !bytes.includes(POSITION)) return;
      listening = false;
      device.process.kill("SIGSTOP");
      position.resolve();
    });
    const database = await ownDatabase();
    // A process that cannot renew its lease sends only as long as the lease is safe, and a busy machine is slow.
    const { server } = await clusterProcess(database, { DEFAULT_REGISTER: tap.address, CLUSTER_LEASE_MS: "10000" });
    await server.start();
    const till = new ClusterTill(7);
    await till.install(server);
    await repeatedUntil(200, () => till.openShift(server));
    const store = await lookInto(database);

    listening = true;
    const sale = till.newSale().at(server);
    await position.promise;
    await sql`update commit_marks set count = 1`.execute(store.db);
    const complaints = () =>
      readFileSync(join(server.dataDir, "demo-server.log"), "utf8")
        .split("\n")
        .filter((line) => line.includes(OVERWRITTEN));
    while (complaints().length === 0) await pause(systemClock, PAUSE_MS);
    device.process.kill("SIGCONT");
    expect(await sale).toMatchObject({ status: 200 });
    expect(await server.ended).toBe("exit code 1");
    expect(complaints().filter((line) => line.includes('"level":"error"'))).toEqual([
      expect.stringContaining("it registers nothing more and ends"),
    ]);
    expect(complaints().join("\n")).not.toContain("stopping failed");
    expect(await receiptsOf(device)).toBe(1);
  });

  it("make one receipt of the same key that comes to both at once, many times", async () => {
    const device = await startDevice(...CONTROL);
    const [one, two] = await twoProcesses({ DEFAULT_REGISTER: device.address });
    const till = new ClusterTill(5);
    await till.install(one);
    await repeatedUntil(200, () => till.openShift(one));
    for (let key = 0; key < KEYS; key += 1) {
      const sale = till.newSale();
      const both = await Promise.all([sale.decidedAt(one), sale.decidedAt(two), sale.decidedAt(two)]);
      for (const { status, body } of both) expect(status, body).toBe(200);
      expect(new Set(both.map(({ body }) => body)).size).toBe(1);
    }
    expect(await receiptsOf(device)).toBe(KEYS);
  });
});

const DEATHS = 4;
const SALES_A_DEATH = 5;
/** By so much later in its sale each death comes than the one before. A sale takes several times as long. */
const STRIKE_MS = 15;
const KEYS = 100;
/** The process ends at once. The longer limit is for a machine that does other work too. */
const ENDS_WITHIN_MS = 3_000;

async function receiptsOf(device: DeviceProcess): Promise<number> {
  const { documents } = await device.order({ do: "documents" });
  if (!Array.isArray(documents)) throw new Error("the device lists no documents");
  return documents.filter(({ kind }) => kind === "receipt").length;
}

/**
 * Sends each request to the next process in turn that says that it is ready. A process that says so no more, or does not answer, is passed
 * over.
 */
class ReadyProxy {
  readonly #processes: readonly ServerProcess[];
  #turn = 0;

  constructor(processes: readonly ServerProcess[]) {
    this.#processes = processes;
  }

  async send(call: (server: ServerProcess) => Promise<TillAnswer>): Promise<TillAnswer> {
    for (;;) {
      this.#turn += 1;
      const process = this.#processes[this.#turn % this.#processes.length];
      if (process !== undefined && (await isReady(process))) return call(process);
      await pause(systemClock, 10);
    }
  }

  async untilReady(process: ServerProcess): Promise<void> {
    while (!(await isReady(process))) await pause(systemClock, PAUSE_MS);
  }
}

async function isReady(process: ServerProcess): Promise<boolean> {
  try {
    return (await fetch(`${process.base}/ready`)).status === 200;
  } catch {
    // The process is down.
    return false;
  }
}

/** The command that adds a position to a receipt: FF46 of the protocol. */
const POSITION = Buffer.from("ff46", "hex");
const PAUSE_MS = 200;
const OVERWRITTEN = "was overwritten";

function bytesOf({ sent }: TappedConnection): number {
  return sent.reduce((sum, { length }) => sum + length, 0);
}

/** Repeats a request until its answer has this status, as a till does while the outcome is uncertain. */
async function repeatedUntil(status: number, send: () => Promise<{ status: number; body: string }>) {
  for (;;) {
    const answer = await send();
    if (answer.status === status) return answer;
    await pause(systemClock, PAUSE_MS);
  }
}
