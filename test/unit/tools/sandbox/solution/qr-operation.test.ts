import { expect, it } from "vitest";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { Account, FORGETFUL } from "../../../../../src/tools/sandbox/account/account.ts";
import {
  keepQrCall,
  keepQrOperation,
  type QrOperation,
  qrOperation,
  toldQrOperation,
} from "../../../../../src/tools/sandbox/solution/qr-operation.ts";

const BEGUN: QrOperation = {
  ...{ id: "1", retailStoreId: "store", amount: 100, sale: false, positions: "[]" },
  ...{ step: "creating", status: "IN_PROGRESS", told: [], begunMs: 0, unclear: 0, calls: 0 },
};

it.each([1, 2, 499, 500, 501, 1_234])("of %i calls the first and the newest are told, five hundred in all", async (count) => {
  const account = new Account({ clock: systemClock, seed: 1, log: FORGETFUL });
  await account.commit(() => {
    keepQrOperation(account, BEGUN);
    for (let number = 0; number < count; number += 1) {
      const call = number === 0 ? "create" : "state";
      keepQrCall(account, qrOperation(account, "1") ?? BEGUN, { call, status: 200, body: number, ms: 1 });
    }
  });
  const { calls } = toldQrOperation(account, qrOperation(account, "1") ?? BEGUN) as { calls: { call: string; body: number }[] };
  const expected = Array.from({ length: count }, (_, number) => number).filter((number) => number === 0 || number > count - 500);
  expect(calls.map(({ body }) => body)).toEqual(expected);
  expect(calls[0]?.call).toBe("create");
  expect(account.objects.all("qrcall").size).toBe(expected.length);
});
