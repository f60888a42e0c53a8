import { describe, expect, it, onTestFinished } from "vitest";
import { answerQuestion, passedRegister } from "../../src/app/cluster/passed-question.ts";
import type { CallResult } from "../../src/cluster/calls.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { Lanes } from "../../src/operations/lanes.ts";
import { Rack } from "../../src/registers/rack.ts";
import type { Recalled, RecordedAttempt } from "../../src/registers/register.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { emulatorBench, MORNING_MS, temporaryFolder } from "../support/registers.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const REGISTER = "agent:shop";
const ZONE = "Europe/Moscow";

/** A register of one process, which another process asks. */
async function asked({ holds = true, answers = true } = {}) {
  const clock = new VirtualClock(MORNING_MS);
  const bench = await emulatorBench(clock, new MemoryDrive(), {});
  const lanes = new Lanes();
  const parts = { clock, lanes, enter: async () => holds, deviceOf: () => bench.register };
  const passed: string[] = [];
  const pass = async (body: Buffer): Promise<CallResult> => {
    passed.push(body.toString("utf8"));
    return answers ? { kind: "answer", ...(await answerQuestion(parts, body)) } : { kind: "no-answer", why: "cut off" };
  };
  const register = passedRegister({ register: REGISTER, zone: ZONE }, pass);
  return { clock, bench, lanes, register, passed, soon: deadlineIn(clock, 5_000) };
}

describe("a register whose agent is connected to another process", () => {
  it("answers a person's questions through that process, with what the register itself says", async () => {
    const { bench, register, passed, soon } = await asked();
    await bench.register.inspect(soon);
    await bench.register.perform(shiftDocument("open-shift"), soon);
    expect(await register.identity(soon)).toEqual(await bench.register.identity(soon));
    expect(await register.inspect(soon)).toEqual(await bench.register.inspect(soon));
    for (const number of [1, 2, 99]) expect(await register.lookUp(number, soon)).toEqual(await bench.register.lookUp(number, soon));
    expect(JSON.parse(passed[0] ?? "")).toEqual({ ask: "identity", register: REGISTER, zone: ZONE, budgetMs: 5_000 });
  });

  it("counts a zone that was set for it from the next question on, and keeps it when the asker does not say whose zone it sends", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const rack = new Rack({ clock, chance: systemChance, dataDir: await temporaryFolder(), note() {} });
    onTestFinished(() => rack.close());
    const deviceOf = (register: string, zone: string, zoneKnown: boolean | undefined) => rack.again(register, zone, zoneKnown);
    const parts = { clock, lanes: new Lanes(), enter: async () => true, deviceOf };
    const pass = async (body: Buffer): Promise<CallResult> => ({ kind: "answer", ...(await answerQuestion(parts, body)) });
    const register = "emulator:one";
    const look = async (place: { zone: string; zoneKnown?: boolean }) => {
      await passedRegister({ register, ...place }, pass).inspect(deadlineIn(clock, 5_000));
      const { ours, zoneKnown } = rack.seen()[0]?.clock ?? {};
      return [ours, zoneKnown];
    };
    expect(await look({ zone: ZONE, zoneKnown: true })).toEqual(["2026-11-13 09:00:00", true]);
    expect(await look({ zone: "Asia/Omsk", zoneKnown: true })).toEqual(["2026-11-13 12:00:00", true]);
    expect(await look({ zone: "Asia/Vladivostok" })).toEqual(["2026-11-13 12:00:00", true]);
    expect(await look({ zone: ZONE, zoneKnown: false })).toEqual(["2026-11-13 09:00:00", false]);
  });

  it.each([
    { kind: "outcome", outcome: { kind: "refused", refusal: { code: "not-registered" } } },
    { kind: "running" },
    { kind: "unknown" },
    { kind: "never" },
    { kind: "unreachable", reason: "агент не на связи" },
  ] satisfies Recalled[])("passes on what the record of attempts says: $kind", async (said) => {
    const { bench, register, soon } = await asked();
    const attempts: RecordedAttempt[] = [];
    bench.register.recall = async (attempt) => {
      attempts.push(attempt);
      return said;
    };
    expect(await register.recall?.({ id: "attempt-1", record: "folder-1" }, soon)).toEqual(said);
    expect(await register.recall?.({ id: "attempt-2" }, soon)).toEqual(said);
    expect(attempts).toEqual([{ id: "attempt-1", record: "folder-1" }, { id: "attempt-2" }]);
  });

  it("leaves an attempt to the device's own evidence when the register keeps no record of attempts", async () => {
    const { register, soon } = await asked();
    expect(await register.recall?.({ id: "attempt-1" }, soon)).toEqual({ kind: "unknown" });
  });

  it("makes and cancels nothing through that process", async () => {
    const { register, passed, soon } = await asked();
    expect(await register.perform(shiftDocument("open-shift"), soon)).toMatchObject({ kind: "refused" });
    expect(await register.abandon(soon)).toMatchObject({ kind: "unreachable" });
    expect(passed).toEqual([]);
  });

  it("waits for its turn at the register", async () => {
    const { lanes, register, soon } = await asked();
    const turn = Promise.withResolvers<void>();
    const order: string[] = [];
    lanes.enter(REGISTER, async () => {
      await turn.promise;
      order.push("sale");
    });
    const asking = register.identity(soon).then(() => order.push("question"));
    turn.resolve();
    await asking;
    expect(order).toEqual(["sale", "question"]);
  });

  it.each([
    ["does not hold it any more", { holds: false }, "кассой управляет другой сервер"],
    ["does not answer", { answers: false }, "процесс сервера, с которым связан агент, не ответил"],
  ])("is unreachable when that process %s", async (_what, at, reason) => {
    const { register, soon } = await asked(at);
    expect(await register.inspect(soon)).toEqual({ kind: "unreachable", reason });
  });

  it("is what the rack returns for its address, and no link is opened", async () => {
    const { clock, register } = await asked();
    const wanted: unknown[][] = [];
    const rack = new Rack({
      clock,
      chance: systemChance,
      dataDir: "/nowhere",
      note() {},
      elsewhere: (...place) => {
        wanted.push(place);
        return register;
      },
    });
    expect(rack.at("agent:shop/main", ZONE)).toBe(register);
    expect(await rack.visit("agent:shop?drive=any", ZONE, async (at) => at === register)).toBe(true);
    expect(wanted).toEqual([
      [REGISTER, ZONE, true],
      [REGISTER, ZONE],
    ]);
    expect(rack.seen()).toEqual([]);
  });
});
