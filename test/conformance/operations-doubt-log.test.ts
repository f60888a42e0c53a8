import { describe, expect, it } from "vitest";
import { type Log, silentLog } from "../../src/kernel/log.ts";
import { waitingOf } from "../../src/operator/explaining/waiting.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { once } from "../support/registers.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

const PERSON = "the lane waits for a person";
const SERVER = "the lane waits until the register says what it printed";

/** A doubt that the register cannot end, because somebody else has used the register, and the log's lines about lanes. */
async function doubt(): Promise<{ till: Till; told: string[] }> {
  const told: string[] = [];
  const tell = (level: string) => (_: unknown, text: string) => {
    if (text.startsWith("the lane")) told.push(`${level} ${text}`);
  };
  const log: Log = { ...silentLog, warn: tell("warn"), error: tell("error") };
  const till = await Till.open({ log });
  await till.openShift();
  till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
  void till.submit(saleOperation("sale-1"));
  await till.trial.later(3_000);
  till.trial.device.powerOn();
  await till.trial.perform(receiptDocument());
  return { till, told };
}

describe("what the log says of a doubt", () => {
  it("calls for a person when `journal explain` does, and not in the minute that is the server's", async () => {
    const { till, told } = await doubt();
    const owner = async () => {
      const [entry] = await till.journal.unfinished();
      return entry && waitingOf(entry, till.trial.clock.nowMs())?.owner;
    };
    const sale = till.submit(saleOperation("sale-2"));
    await till.trial.later(1_000);
    expect(textOf(await sale)).toBe("lane-stopped");
    expect([await owner(), told]).toEqual(["server", [`warn ${SERVER}`]]);
    await till.trial.later(60_000);
    await till.submitAndWait(saleOperation("sale-3"));
    expect([await owner(), told.slice(1)]).toEqual(["person", [`error ${PERSON}`]]);
  });

  it("calls for a person once where nobody sells: the server that asks again and again tells of it", async () => {
    const { till, told } = await doubt();
    await till.killAndRestart();
    expect(told).toEqual([]);
    await till.trial.later(60_000);
    expect(told).toEqual([`error ${PERSON}`]);
    await till.trial.later(600_000);
    expect(told).toEqual([`error ${PERSON}`]);
  });
});
