import { describe, expect, it } from "vitest";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { ClusterTill, clusterProcess, ownDatabase, type TappedConnection, wireTap } from "../support/cluster.ts";
import { startDevice } from "../support/shtrih-m-device-process.ts";

/** Starts of two programs, a takeover and a sale, on a machine that does other work too. */
const LIMIT_MS = 180_000;

describe("two processes on one database", { timeout: LIMIT_MS }, () => {
  it("sell at either, and answer a repeat at the other with the same bytes", async () => {
    const device = await startDevice();
    const [one, two] = await twoProcesses(device.address);
    const till = new ClusterTill(1);
    await till.install(one);
    expect(await till.openShift(two)).toMatchObject({ status: 200 });
    for (const [first, second] of [
      [one, two],
      [two, one],
    ] as const) {
      const sale = till.newSale();
      const sold = await sale.at(first);
      expect(sold).toMatchObject({ status: 200 });
      expect(await sale.at(second)).toEqual(sold);
    }
  });

  it("a holder that is paused in the middle of a sale sends not one byte more after it wakes, and the sale is made once", async () => {
    const device = await startDevice("--control", "127.0.0.1:0");
    let listening = false;
    const position = Promise.withResolvers<void>();
    const tap = await wireTap(device.address, (bytes) => {
      if (listening && bytes.includes(POSITION)) position.resolve();
    });
    const [holder, other] = await twoProcesses(tap.address);
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
    // Its till has waited too long, so it may be told to repeat.
    expect([200, 409]).toContain((await interrupted).status);
    expect(await sale.at(holder)).toEqual(sold);
    expect(await till.newSale().at(holder)).toMatchObject({ status: 200 });
    expect(held.map(bytesOf)).toEqual(before);
    const { documents } = await device.order({ do: "documents" });
    expect(documents).toMatchObject([{ kind: "registration" }, { kind: "open-shift" }, { kind: "receipt" }, { kind: "receipt" }]);
  });
});

/** The command that adds a position to a receipt: FF46 of the protocol. */
const POSITION = Buffer.from("ff46", "hex");
const PAUSE_MS = 200;

async function twoProcesses(register: string) {
  const database = await ownDatabase();
  const made = await Promise.all([1, 2].map(() => clusterProcess(database, { DEFAULT_REGISTER: register })));
  await Promise.all(made.map(({ server }) => server.start()));
  const [one, two] = made;
  if (one === undefined || two === undefined) throw new Error("two processes were made");
  return [one.server, two.server] as const;
}

function bytesOf({ sent }: TappedConnection): number {
  return sent.reduce((sum, { length }) => sum + length, 0);
}

/** A till repeats what is not certain. */
async function repeatedUntil(status: number, send: () => Promise<{ status: number; body: string }>) {
  for (;;) {
    const answer = await send();
    if (answer.status === status) return answer;
    await pause(systemClock, PAUSE_MS);
  }
}
