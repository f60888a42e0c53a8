import { describe, expect, it } from "vitest";
import { Forwarding } from "../../../src/cluster/forwarding.ts";
import { deadlineIn } from "../../../src/kernel/deadline.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

describe("work that its own process could not begin", () => {
  it.each([
    ["because the register is to be taken first", "free", true],
    ["because the lease is not renewed, although the database can be read", "here", false],
  ] as const)("is tried again after the next reading and not at once, %s", async (_why, kind, isSafe) => {
    const clock = new VirtualClock(0);
    const read = Promise.withResolvers<void>();
    const services: Partial<ConstructorParameters<typeof Forwarding>[0]> = {
      clock,
      log: silentLog,
      holdings: { place: () => ({ kind }) } as never,
      membership: { isSafe: () => isSafe, nextReading: () => read.promise } as never,
    };
    const forwarding = new Forwarding(services as never);
    let isOver = false;
    const forwarded = forwarding.forward("register", { path: "/", body: Buffer.from("{}") }, deadlineIn(clock, 9_000)).then((result) => {
      isOver = true;
      return result;
    });
    await clock.advance(1_000);
    expect(isOver).toBe(false);
    read.resolve();
    expect(await forwarded).toEqual({ kind: "here" });
  });
});

it("work for a holder that does not answer is sent at most ten times a second, however often other calls read the holder anew", async () => {
  const clock = new VirtualClock(0);
  const process = { id: "dead" };
  let calls = 0;
  const post = async () => {
    calls += 1;
    return { kind: "no-answer", why: "connect ECONNREFUSED" };
  };
  const readNow = () => new Promise<void>((resolve) => void setImmediate(resolve));
  const services = {
    clock,
    log: silentLog,
    observe: { forwarded() {} },
    calls: { post },
    holdings: { place: () => ({ kind: "there", process }) },
    membership: { reading: { processes: [process] }, readAnew: readNow, nextReading: readNow },
  };
  const forwarding = new Forwarding(services as never);
  const forwarded = forwarding.forward("register", { path: "/", body: Buffer.from("{}") }, deadlineIn(clock, 1_000));
  for (let turn = 0; turn < 100; turn += 1) await readNow();
  expect(calls).toBe(1);
  for (let step = 0; step < 100; step += 1) {
    await clock.advance(10);
    for (let turn = 0; turn < 5; turn += 1) await readNow();
  }
  expect(await forwarded).toEqual({ kind: "late" });
  expect(calls).toBeGreaterThan(3);
  expect(calls).toBeLessThanOrEqual(11);
});
