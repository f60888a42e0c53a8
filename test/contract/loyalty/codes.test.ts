import { beforeEach, describe, expect, it } from "vitest";
import { LoyaltyBench } from "../../support/loyalty-bench.ts";
import { BUYER, customer, LoyaltyContract, recalc, sale, sold, store } from "../../support/loyalty-contract.ts";

let till: LoyaltyContract;
let bench: LoyaltyBench;

beforeEach(async () => {
  bench = await LoyaltyBench.open();
  till = await LoyaltyContract.open(bench);
});

const saleCode = () => till.post("/retaildemand/verify", { ...store(), counterpartyId: BUYER });

describe("a new customer where the programme wants a code", () => {
  it("is refused, gets a code, and is a member once the till says that it was right", async () => {
    await bench.programme({ verification: { newCustomer: true, spending: "never" } });
    const unchecked = customer({ statusCheck: "UNCHECKED" });
    const first = await till.post("/counterparty", unchecked);
    expect({ status: first.status, code: first.body.errors[0].code }).toEqual({ status: 412, code: 28_001 });
    const sent = await till.post("/counterparty/verify", {
      ...store(),
      name: "Иван",
      phone: "+7 903 999 33 44",
      meta: { href: "https://x/syncid/1" },
    });
    expect(sent.status).toBe(200);
    expect(sent.body).toMatchObject({ verificationCode: expect.stringMatching(/^\d{6}$/), timeForRepeat: 60 });
    expect(sent.body.messageForCashier).toContain("+7903***3344");
    expect(sent.body.messageForCashier.length).toBeLessThanOrEqual(140);
    expect(bench.messages).toMatchObject([{ phone: "+79039993344", purpose: "customer", code: sent.body.verificationCode }]);
    for (const statusCheck of ["CHECKED", "CHECKED"])
      expect((await till.post("/counterparty", customer({ statusCheck }))).status).toBe(201);
    expect((await till.post("/counterparty", unchecked)).status).toBe(201);
  });
});

describe("a code for spending", () => {
  beforeEach(() => till.enrol());

  it("is asked for above the programme's bound", async () => {
    await bench.programme({
      verification: { newCustomer: false, spending: 100 },
      spend: { sharePercent: 100, leastMoneyKopecks: 0, step: 1, excluded: [] },
    });
    await till.post("/retaildemand", sale("s1", { positions: [sold(100, 100)], bonusProgram: { bonusValueToEarn: 500 } }));
    const quote = async (points: number) =>
      (await till.post("/retaildemand/recalc", recalc({ bonusProgram: { transactionType: "SPENDING" }, preferredBonusToSpend: points })))
        .body;
    expect(await quote(100)).toMatchObject({ needVerification: false });
    expect(await quote(101)).toMatchObject({ needVerification: true });
  });

  const spending = { positions: [sold(10, 100, 95)], bonusProgram: { bonusValueToSpend: 50, bonusValueToEarn: 0 } };

  it.each([
    ["no code", undefined, true],
    ["a code to the member's own phone", {}, false],
    ["a code to the member's own phone in another spelling", { phone: "9039993344" }, false],
    ["a code to somebody else's phone", { phone: "+79990000009" }, true],
  ])("is missed at a sale without a quote after %s", async (_what, asked, isMissed) => {
    await bench.programme({ verification: { spending: "always" } });
    await till.post("/retaildemand", sale("s1"));
    if (asked !== undefined)
      expect((await till.post("/retaildemand/verify", { ...store(), counterpartyId: BUYER, ...asked })).status).toBe(200);
    expect((await till.post("/retaildemand", sale("s2", spending))).status).toBe(201);
    expect(bench.anomalies.includes("unverified-spend")).toBe(isMissed);
  });

  describe("counts for what it was asked for", () => {
    const OTHER_STORE = { retailStore: { meta: { href: "", id: "22222222-0000-4000-8000-000000000002" } } };
    const spends = (points: number) => recalc({ bonusProgram: { transactionType: "SPENDING" }, preferredBonusToSpend: points });
    const by = (points: number) => ({
      positions: [sold(10, 100, 100 - points / 10)],
      bonusProgram: { bonusValueToSpend: points, bonusValueToEarn: 0 },
    });
    const unverified = () => bench.anomalies.filter((anomaly) => anomaly === "unverified-spend").length;

    beforeEach(async () => {
      await bench.programme({ verification: { spending: "always" } });
      await till.post("/retaildemand", sale("s1", { positions: [sold(100, 100)], bonusProgram: { bonusValueToEarn: 500 } }));
      await bench.clock.advance(1_000);
    });

    it.each([
      ["the points of its quote", [50], 50, 0],
      ["fewer points", [50], 20, 0],
      ["more points", [50], 60, 1],
      ["the last of two quotes before it", [50, 60], 60, 0],
    ])("by the points: %s", async (_what, quoted, points, missed) => {
      for (const wish of quoted) {
        await till.post("/retaildemand/recalc", spends(wish));
        await bench.clock.advance(1_000);
      }
      await saleCode();
      await bench.clock.advance(1_000);
      await bench.quotes.flush();
      // The quote after the code is for more points than the buyer has agreed to.
      await till.post("/retaildemand/recalc", spends(points));
      await till.post("/retaildemand", sale("s2", by(points)));
      expect(unverified()).toBe(missed);
    });

    it("in its own point of sale", async () => {
      expect((await till.post("/retaildemand/verify", { ...OTHER_STORE, counterpartyId: BUYER })).status).toBe(200);
      await till.post("/retaildemand", sale("s2", by(50)));
      expect(unverified()).toBe(1);
    });

    it("once", async () => {
      await saleCode();
      await bench.clock.advance(1_000);
      await till.post("/retaildemand", sale("s2", by(50)));
      expect(unverified()).toBe(0);
      await bench.clock.advance(1_000);
      await till.post("/retaildemand", sale("s3", by(50)));
      expect(unverified()).toBe(1);
    });

    it("when a channel has carried it", async () => {
      bench.delivery = { kind: "failed", problem: "the provider answered 500" };
      await saleCode();
      await till.post("/retaildemand", sale("s2", by(50)));
      expect(unverified()).toBe(1);
    });

    it("also when it has ended while the buyer was paying", async () => {
      await saleCode();
      await bench.clock.advance(6 * 60_000);
      await bench.upkeep.run();
      await till.post("/retaildemand", sale("s2", by(50)));
      expect(unverified()).toBe(0);
    });
  });

  it("may go to any phone of a member who has none", async () => {
    await bench.programme({ verification: { spending: "always" } });
    const other = "c0ffee00-aaaa-4bbb-8ccc-000000000001";
    const meta = { href: "", id: other };
    await till.enrol({ meta, name: "Пётр", phone: undefined, discountCardNumber: undefined });
    await till.post("/retaildemand/verify", { ...store(), counterpartyId: other, phone: "+79990000009" });
    await till.post("/retaildemand", sale("s1", { agent: { meta } }));
    await till.post("/retaildemand", sale("s2", { agent: { meta }, ...spending }));
    expect(bench.anomalies).not.toContain("unverified-spend");
  });

  it("is refused before its time, and stays the one that counts", async () => {
    const first = await saleCode();
    await bench.clock.advance(59_000);
    const early = await saleCode();
    expect({ status: early.status, code: early.body.errors[0].code }).toEqual({ status: 429, code: 28_005 });
    expect(early.body.errors[0].error_message).toContain("через 1 с");
    await bench.clock.advance(1_000);
    const second = await saleCode();
    expect(second.status).toBe(200);
    expect(bench.messages.map(({ code }) => code)).toEqual([first.body.verificationCode, second.body.verificationCode]);
  });

  it("is sent five times an hour and ten times a day to one phone, with growing pauses", async () => {
    const waits: number[] = [];
    let limited = 0;
    for (let minute = 0; minute < 24 * 60; minute += 5) {
      const answer = await saleCode();
      if (answer.status === 200) waits.push(answer.body.timeForRepeat);
      else limited += 1;
      await bench.clock.advance(5 * 60_000);
    }
    expect(waits.slice(0, 5)).toEqual([60, 60, 60, 120, 240]);
    expect(Math.max(...waits)).toBe(600);
    expect(waits).toHaveLength(10);
    expect(limited).toBeGreaterThan(0);
  });

  it("that was sent while the clock was ahead keeps no other back once the clock is right, and verifies no purchase", async () => {
    await bench.programme({ verification: { spending: "always" } });
    await till.post("/retaildemand", sale("s1", { positions: [sold(100, 100)], bonusProgram: { bonusValueToEarn: 500 } }));
    const nowMs = bench.clock.nowMs();
    bench.clock.jumpTo(nowMs + 365 * 86_400_000);
    for (let send = 0; send < 5; send += 1) {
      expect((await saleCode()).status).toBe(200);
      await bench.clock.advance(11 * 60_000);
    }
    bench.clock.jumpTo(nowMs + 1_000);
    await bench.upkeep.run();
    const spending = { positions: [sold(10, 100, 95)], bonusProgram: { bonusValueToSpend: 50, bonusValueToEarn: 0 } };
    await till.post("/retaildemand", sale("s2", spending));
    expect(bench.anomalies).toContain("unverified-spend");
    expect((await saleCode()).body).toMatchObject({ timeForRepeat: 60 });
    bench.clock.jumpTo(nowMs + 365 * 86_400_000);
    await saleCode();
    bench.clock.jumpTo(nowMs + 120_000);
    expect((await saleCode()).body).toMatchObject({ timeForRepeat: 60 });
  });

  it("that could not be sent is told to the cashier, and the next try need not wait", async () => {
    bench.delivery = { kind: "failed", problem: "the provider answered 500" };
    const failed = await saleCode();
    expect({ status: failed.status, code: failed.body.errors[0].code }).toEqual({ status: 500, code: 28_099 });
    expect(failed.body.errors[0].error_message).toContain("без списания");
    bench.delivery = { kind: "sent" };
    expect((await saleCode()).status).toBe(200);
  });

  it("stands in no line of the log, and in the database only sealed", async () => {
    const code = (await saleCode()).body.verificationCode;
    const rows = await bench.store.read((db) => db.selectFrom("loyalty_codes").selectAll().execute());
    for (const text of [JSON.stringify(bench.lines), JSON.stringify(rows)]) {
      expect(text).not.toContain(code);
      expect(text).not.toContain("9039993344");
    }
    await bench.clock.advance(301_000);
    await bench.upkeep.run();
    expect(await bench.store.read((db) => db.selectFrom("loyalty_codes").select("code_sealed").execute())).toEqual([{ code_sealed: null }]);
  });
});

describe("without a channel", () => {
  it("no code can be sent, and the cashier is told how the sale goes on", async () => {
    const silent = await LoyaltyContract.open(await LoyaltyBench.open({ channels: [] }));
    await silent.enrol();
    const answer = await silent.post("/retaildemand/verify", { ...store(), counterpartyId: BUYER });
    expect({ status: answer.status, code: answer.body.errors[0].code }).toEqual({ status: 412, code: 28_004 });
    expect(answer.body.errors[0].error_message).toContain("без списания");
  });
});
