import { expect, it } from "vitest";
import { Departures } from "../../../src/cluster/departures.ts";
import { registerLease } from "../../../src/cluster/lease-names.ts";
import type { LeaseRow, ProcessRow } from "../../../src/cluster/queries.ts";
import { silentLog } from "../../../src/kernel/log.ts";

const REGISTER = registerLease("shtrih-m+tcp://10.0.0.7:7778");

function process(id: string): ProcessRow {
  const state = { version: "1", state: "serving", draining: false, counter: 1, leaseMs: 3_000, keyCheck: "", sessionPid: 1 } as const;
  return { id, url: `http://${id}`, sinceMs: 0, seenMs: 0, ...state };
}

function lease(name: string, holder: string): LeaseRow {
  return { name, holder, token: 1, wanted: null, sinceMs: 0 };
}

/** How often rows are read during readings with these holders of a register. */
async function readingsOf(holders: readonly string[], name = REGISTER): Promise<number> {
  let read = 0;
  const remember = async () => {
    read += 1;
  };
  const departures = new Departures({ self: "self", log: silentLog, remember });
  for (const holder of holders) {
    departures.follow({ processes: ["self", "one", "two"].map(process), leases: [lease(name, holder)] });
    await Promise.resolve();
  }
  return read;
}

it.each([
  ["stays at another process", ["one", "one"], 0],
  ["is given away by another process", ["one", ""], 1],
  ["comes from another process to this process", ["one", "self"], 1],
  ["goes from one other process to another, and comes here later", ["one", "two", "self"], 1],
  ["is given away by this process", ["self", "one"], 0],
])("a register that %s is a reason to remember its rows, or is none", async (_what, holders, read) => {
  expect(await readingsOf(holders)).toBe(read);
});

it("a lease of other work that changes hands is no reason to remember rows", async () => {
  expect(await readingsOf(["one", "self"], "task housekeeping")).toBe(0);
});
