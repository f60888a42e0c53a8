import { expect, it } from "vitest";
import type { Submitted } from "../../src/operations/submission.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

const KEY = { appId: "app", accountId: "account", operation: "sale", documentId: "sale-1" } as const;
const CHECKPOINT = {
  driveNumber: "9999078900000001",
  lastDocumentNumber: 2,
  shiftNumber: 1,
  shiftOpen: true,
  drawerKopecks: 0,
  deviceTime: "2026-11-13 10:00:00",
};

it("a process that has lost the register passes on what the new holder has begun meanwhile", async () => {
  let stands = true;
  let silent = false;
  let meanwhile = async () => {};
  const forwarded: string[] = [];
  const till: Till = await Till.open({
    holds: {
      enter: async () => ({ stands: () => stands }),
      pull: async () => true,
      async forward(register): Promise<Submitted> {
        forwarded.push(register);
        return { kind: "running" };
      },
    },
    line: (register) => ({
      identity: (deadline) => register.identity(deadline),
      async inspect(deadline) {
        if (!silent) return register.inspect(deadline);
        await meanwhile();
        return { kind: "unreachable", reason: "silence" };
      },
      perform: (document, deadline, attempt) => register.perform(document, deadline, attempt),
      lookUp: (number, deadline) => register.lookUp(number, deadline),
      abandon: (deadline) => register.abandon(deadline),
      close: () => register.close(),
    }),
  });
  await till.openShift();
  silent = true;
  expect(await till.submitAndWait(saleOperation("sale-1"))).toMatchObject({ kind: "refused" });
  meanwhile = async () => {
    stands = false;
    const refused = await till.journal.find(KEY);
    if (refused !== undefined) await till.journal.begin(refused, CHECKPOINT);
  };
  expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("running");
  expect(forwarded).toHaveLength(1);
  expect((await till.journal.find(KEY))?.state).toBe("sending");
});
