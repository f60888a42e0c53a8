import { expect, it } from "vitest";
import { auditLines } from "../../src/accounts/audit.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { restoredWithoutSale, SALE, settledAsRefused } from "../support/never-given.ts";
import { journal } from "../support/settle-command.ts";
import { saleOperation, type Till, textOf } from "../support/till.ts";

/** More turns than those for which a document that is only not returned delays sales. */
const MANY_TURNS = 12;
/** The number (ФД) of the sale that the restored database lacks. */
const LOST = 3;

/** The till sends a minute later: a silenced register answers again by then. */
async function sell(till: Till, operation = SALE): Promise<string> {
  await till.trial.later(60_000);
  const answer = textOf(await till.submitAndWait(operation));
  await till.settled();
  return answer.split(" ").slice(0, 2).join(" ");
}

async function driveOf(till: Till): Promise<string> {
  return (await till.trial.state()).driveNumber;
}

function leaveOut(till: Till, drive: string, number: number) {
  return journal(till, "runs", "leave-out", drive, `${number}`, "--why", "it is the report of a repair");
}

it("a document that silences the register delays all sales until a person leaves it out, and none from then on", async () => {
  const { till, line } = await restoredWithoutSale();
  line.fail("silencing", LOST);
  for (let turn = 1; turn <= MANY_TURNS; turn += 1) {
    expect(await sell(till, saleOperation(`sale-${turn + 1}`))).toBe("register-unreachable");
  }
  const said = await leaveOut(till, await driveOf(till), LOST);
  expect([said.code, said.text]).toEqual([0, expect.stringContaining("is left out")]);
  expect(await sell(till, saleOperation("next"))).toBe("receipt 4");
  await till.killAndRestart();
  expect(await sell(till, saleOperation("after a restart"))).toBe("receipt 5");
});

it("a document that is left out after it was noted as unread silences the register no more", async () => {
  const { till, line } = await restoredWithoutSale();
  line.fail("not returned", LOST);
  expect(await sell(till)).toBe("register-unreachable");
  line.fail("silencing", LOST);
  for (let turn = 1; turn <= MANY_TURNS; turn += 1) expect(await sell(till)).toBe("register-unreachable");
  expect((await leaveOut(till, await driveOf(till), LOST)).code).toBe(0);
  // The person answers for it: the sale is registered again.
  expect(await sell(till)).toBe("receipt 4");
});

it("a document that silences the register can be left out also where only the repeat of a refused sale requests it", async () => {
  const { till, line } = await settledAsRefused("registered");
  line.fail("silencing", LOST);
  for (let turn = 1; turn <= MANY_TURNS; turn += 1) expect(await sell(till)).toBe("register-unreachable");
  expect((await leaveOut(till, await driveOf(till), LOST)).code).toBe(0);
  expect(await sell(till)).toBe("receipt 4");
});

it("who left a document out, when and why stands in the audit, and what it means in the log", async () => {
  const warned: unknown[] = [];
  const errors: unknown[] = [];
  const log = { ...silentLog, warn: (fields: object) => warned.push(fields), error: (fields: object) => errors.push(fields) };
  const { till, line } = await restoredWithoutSale({ log });
  line.fail("silencing", LOST);
  for (let turn = 1; turn <= 4; turn += 1) await sell(till);
  const drive = await driveOf(till);
  expect(errors).toEqual([expect.objectContaining({ drive, document: LOST, silences: 3 })]);
  const atMs = till.trial.clock.nowMs();
  await leaveOut(till, drive, LOST);
  const [act] = await auditLines(till.store, { limit: 5 });
  const reason = "it is the report of a repair";
  expect(act).toMatchObject({ atMs, actor: "operator", place: "command", act: "leave-out", subject: `${drive}/${LOST}`, reason });
  await sell(till, saleOperation("next"));
  expect(warned).toContainEqual(expect.objectContaining({ drive, documents: [LOST] }));
});

it("only a document that was requested and not returned is left out, and only once", async () => {
  const { till, line } = await restoredWithoutSale();
  line.fail("silencing", LOST);
  await sell(till);
  const drive = await driveOf(till);
  for (const number of [1, 2, 4]) {
    const said = await leaveOut(till, drive, number);
    expect(said).toEqual({
      code: 1,
      text: `Document ${number} of drive ${drive} is not outstanding: nothing waits for it. Documents of this drive that were requested and not returned: ${LOST}.`,
    });
  }
  expect((await leaveOut(till, "1234567890123456", LOST)).code).toBe(1);
  expect((await leaveOut(till, drive, LOST)).code).toBe(0);
  expect((await leaveOut(till, drive, LOST)).text).toContain("This drive has no document that was requested and not returned");
});

it("a document that the register returns after the line was mended cannot be left out any more", async () => {
  const { till, line } = await restoredWithoutSale();
  line.fail("silencing", LOST, 3);
  for (let turn = 1; turn <= 3; turn += 1) expect(await sell(till, saleOperation("next"))).toBe("register-unreachable");
  expect(await sell(till, saleOperation("next"))).toBe("receipt 4");
  expect((await leaveOut(till, await driveOf(till), LOST)).code).toBe(1);
  expect(await sell(till)).toBe("receipt 3");
});

it.each([
  [["leave-out"], "expected `journal leave-out DRIVE NUMBER"],
  [["leave-out", "9999", "x", "--why", "w"], "expected `journal leave-out DRIVE NUMBER"],
  [["leave-out", "9999", "3"], "leave-out needs --why"],
  [["leave-out", "9999", "3", "--why", "w", "--again"], "journal leave-out has no option --again"],
])("the command says what it expects: %j", async (args, words) => {
  const { till } = await restoredWithoutSale();
  await expect(journal(till, "runs", ...args)).rejects.toThrow(words);
});
