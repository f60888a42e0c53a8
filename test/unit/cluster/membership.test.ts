import { expect, it } from "vitest";
import { Membership } from "../../../src/cluster/membership.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

it("a process that has left its cluster frees those who wait for a reading, and nobody who waits then turns without a pause", async () => {
  const away = () => Promise.reject(new Failure("database-failed", "dependency", "away", { retrySafe: true }));
  const self = { id: "one", url: "http://a:1", version: "1", keyCheck: "key", sessionPid: 0 };
  const observe = { renewed() {}, takenOver() {}, fenced() {}, forwarded() {} };
  const membership = new Membership({
    store: { commit: away, read: away },
    clock: new VirtualClock(0),
    log: silentLog,
    leaseMs: 3_000,
    self,
    observe,
  });
  const before = membership.nextReading();
  await membership.close();
  await before;
  let turns = 0;
  const waiting = async () => {
    for (; turns < 3; turns += 1) await membership.nextReading();
  };
  void waiting();
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  expect(turns).toBe(0);
});
