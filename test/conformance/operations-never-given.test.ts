import { describe, expect, it } from "vitest";
import { type Bench, restoredWithoutSale, SALE, settledAsRefused } from "../support/never-given.ts";
import { saleOperation, type Till, textOf } from "../support/till.ts";

/** More turns than the server refuses for documents that the register does not return. */
const MANY_TURNS = 30;

/** How the requests for one document fail: the register answers everything else, or it is silent for a while afterwards. */
type Failing = "not returned" | "silencing";

/** Sends the sale until it is registered. Returns the answer, and how many turns were refused before. */
async function sellAtLast(till: Till, operation = SALE): Promise<{ answer: string; refused: number }> {
  for (let refused = 0; refused < MANY_TURNS; refused += 1) {
    const answer = textOf(await till.submitAndWait(operation));
    await till.settled();
    if (answer.startsWith("receipt")) return { answer: answer.split(" ").slice(0, 2).join(" "), refused };
    // The till repeats after a minute, when a silenced register answers again.
    await till.trial.later(60_000);
  }
  return { answer: "refused for ever", refused: MANY_TURNS };
}

describe("a document that the register never returns, although it answers everything else", () => {
  it("delays the repeat of a refused sale beside it for a bounded number of turns", async () => {
    const { till, line } = await settledAsRefused("not registered");
    await till.submitAndWait(saleOperation("other"));
    expect(await till.documents()).toBe(3);
    // Another program has registered document 4, and the repeated sale has the checkpoint before documents 3 to 6.
    await till.trial.settled(till.trial.register.perform({ kind: "state-report", reference: "others" }, till.trial.deadline));
    line.fail("not returned", 4);
    const { answer, refused } = await sellAtLast(till);
    expect(answer).toBe("receipt 5");
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(20);
  });

  it("delays the sales of a restored database for a bounded number of turns", async () => {
    const { till, line } = await restoredWithoutSale();
    line.fail("not returned", 3);
    const next = await sellAtLast(till, saleOperation("next"));
    expect(next.answer).toBe("receipt 4");
    expect(next.refused).toBeLessThanOrEqual(20);
    const later = await sellAtLast(till, saleOperation("later"));
    expect(later).toEqual({ answer: "receipt 5", refused: 0 });
  });
});

it("a sale that a person settled as not registered is found once the register returns it, however often others had it requested before", async () => {
  const { till, line } = await settledAsRefused("registered");
  line.fail("not returned", 3);
  // The repeat marks document 3 as unread. Then the turns of other sales request the document until they give it up.
  expect(textOf(await till.submitAndWait(SALE))).toBe("register-unreachable");
  for (let nth = 1; nth <= 14; nth += 1) await till.submitAndWait(saleOperation(`other-${nth}`));
  line.fail("not returned", 3, 0);
  const documents = await till.documents();
  expect(await sellAtLast(till)).toEqual({ answer: "receipt 3", refused: 0 });
  expect(await till.documents()).toBe(documents);
});

it("a sale that a restored database lacks is found once the register returns it, however often others had it requested before", async () => {
  const { till, line } = await restoredWithoutSale();
  line.fail("not returned", 3);
  for (let nth = 1; nth <= MANY_TURNS; nth += 1) await sellAtLast(till, saleOperation(`other-${nth}`));
  line.fail("not returned", 3, 0);
  await till.trial.later(60_000);
  const documents = await till.documents();
  expect(await sellAtLast(till)).toEqual({ answer: "receipt 3", refused: 0 });
  expect(await till.documents()).toBe(documents);
});

/** Five tills at one register. The first repeats the sale that the register may have. */
const FIVE_TILLS = [SALE, ...[1, 2, 3, 4].map((nth) => saleOperation(`till-${nth}`))];

/** Each second all five tills send their sales at once. Returns the different answers. */
async function sellAtOnce(till: Till, seconds: number): Promise<Set<string>> {
  const answers = new Set<string>();
  for (let second = 1; second <= seconds; second += 1) {
    const submitted = await till.trial.settled(Promise.all(FIVE_TILLS.map((sale) => till.submit(sale))));
    for (const one of submitted) answers.add(textOf(one));
    await till.trial.later(1_000);
  }
  return answers;
}

describe("a document that the register hides for ten seconds, while five tills sell at once,", () => {
  it.each<[string, () => Promise<Bench>]>([
    ["repeated sale that a person settled as not registered", () => settledAsRefused("registered")],
    ["sale that a restored database lacks", restoredWithoutSale],
  ])("is found as the %s", async (_, bench) => {
    const { till, line } = await bench();
    line.fail("not returned", 3);
    expect(await sellAtOnce(till, 10)).toEqual(new Set(["register-unreachable"]));
    line.fail("not returned", 3, 0);
    expect((await sellAtLast(till)).answer).toBe("receipt 3");
    expect(await till.documents()).toBe(3);
  });
});

it("a document that is never returned delays the sales of five tills at once for twenty seconds, and not for ever", async () => {
  const { till, line } = await restoredWithoutSale();
  line.fail("not returned", 3);
  expect(await sellAtOnce(till, 20)).toEqual(new Set(["register-unreachable"]));
  const others = await till.trial.settled(Promise.all(FIVE_TILLS.slice(1).map((sale) => till.submit(sale))));
  expect(others.map((one) => textOf(one).split(" ")[0]).slice(1)).toEqual(["receipt", "receipt", "receipt"]);
});

describe.each<Failing>(["not returned", "silencing"])("a document that is %s four times and then returned", (failing) => {
  it("is found as the repeated sale that a person settled as not registered", async () => {
    const { till, line } = await settledAsRefused("registered");
    line.fail(failing, 3, 4);
    expect((await sellAtLast(till)).answer).toBe("receipt 3");
    expect(await till.documents()).toBe(3);
  });

  it("is found as the sale that a restored database lacks", async () => {
    const { till, line } = await restoredWithoutSale();
    line.fail(failing, 3, 4);
    expect((await sellAtLast(till)).answer).toBe("receipt 3");
    expect(await till.documents()).toBe(3);
  });
});
