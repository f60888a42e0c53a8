import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TbankDouble } from "../support/acquirer-doubles.ts";
import { AcquirerBench, PAYMENT_ID } from "../support/acquirers.ts";
import type { BankReply } from "../support/bank-server.ts";

describe("T-Bank", () => {
  let bench: AcquirerBench;

  beforeEach(async () => {
    bench = await AcquirerBench.open("tbank");
  });

  afterEach(() => bench.close());

  const create = (changes = {}) => bench.settled(bench.acquirer.create(bench.order(changes), bench.deadline()));
  const find = () => bench.settled(bench.acquirer.find(bench.order(), bench.deadline()));
  const cancel = (bankId: string) => bench.settled(bench.acquirer.cancel({ bankId, amountKopecks: 25_920 }, bench.deadline(8_000)));
  const refund = (bankId: string) => bench.settled(bench.acquirer.refund(bench.refundOrder(bankId), bench.deadline(8_000)));
  const refusal = (ErrorCode: string) => (): BankReply => ({ status: 200, body: { Success: false, ErrorCode, Message: "Отказ" } });
  const doubled = () => {
    if (!(bench.double instanceof TbankDouble)) throw new Error("no double of T-Bank");
    return bench.double;
  };

  it("makes a payment by Init and asks for the text of its code by GetQr", async () => {
    await create({ notificationUrl: "https://shop.example/hooks/tbank/secret" });
    expect(bench.server.paths()).toEqual(["/Init", "/GetQr"]);
    const [init, getQr] = bench.server.requests;
    expect(init?.body).toMatchObject({
      TerminalKey: "DemoTerm01",
      Amount: 25_920,
      OrderId: PAYMENT_ID,
      PayType: "O",
      NotificationURL: "https://shop.example/hooks/tbank/secret",
      RedirectDueDate: "2026-11-13T09:10:00+03:00",
    });
    expect(getQr?.body).toMatchObject({ PaymentId: "4417000123", DataType: "PAYLOAD" });
  });

  it.each(["lost-after", "error-after", "page-after", "busy"] as const)(
    "keeps a payment whose code is %s, and asks for the code only",
    async (fault) => {
      bench.server.faults = ["none", fault];
      const made = await create();
      expect(made).toMatchObject({ kind: "begun", bankId: "4417000123" });
      expect(await create({ bankId: "4417000123" })).toMatchObject({ kind: "created", bankId: "4417000123" });
      expect(bench.server.paths()).toEqual(["/Init", "/GetQr", "/GetQr"]);
      expect(doubled().payments).toHaveLength(1);
    },
  );

  it("cancels a payment whose code is refused", async () => {
    bench.server.faults = ["none", refusal("3001")];
    expect(await create()).toMatchObject({ kind: "refused", reason: { code: "settings", bankCode: "3001" }, alert: true });
    expect(doubled().payments).toMatchObject([{ status: "CANCELED" }]);
  });

  it.each(["402", "120", "999", "9999", "8", "4", "3037"])("leaves an Init that answers %s unknown, for find to tell", async (code) => {
    bench.server.faults = [refusal(code)];
    expect(await create()).toMatchObject({ kind: "unknown" });
    // The double has made the payment before it gave this answer.
    expect(await find()).toMatchObject({ kind: "payment", payment: { status: "waiting" } });
  });

  it("takes over an order that is paid already", async () => {
    const bankId = await bench.createdAnd("paid");
    bench.server.faults = [refusal("623")];
    expect(await create()).toMatchObject({ kind: "begun", bankId });
    bench.server.faults = [refusal("623"), "lost-before"];
    expect(await create()).toMatchObject({ kind: "unknown" });
  });

  it("never repeats an Init that may have arrived", async () => {
    bench.server.faults = ["lost-after"];
    await create();
    expect(bench.server.paths()).toEqual(["/Init"]);
  });

  it.each([
    ["402", "unknown"],
    ["9999", "unknown"],
    ["204", "unknown"],
    ["501", "unknown"],
    ["255", "none"],
  ])("finds nothing with error code %s: %s", async (code, kind) => {
    bench.server.faults = [refusal(code)];
    expect(await find()).toMatchObject({ kind });
  });

  it("finds ids written as numbers and as texts alike", async () => {
    const bankId = await bench.created();
    expect(await find()).toMatchObject({ kind: "payment", payment: { bankId } });
    bench.server.faults = [
      () => ({
        status: 200,
        body: { Success: true, ErrorCode: "0", OrderId: PAYMENT_ID, Payments: [{ PaymentId: bankId, Amount: 25_920, Status: "NEW" }] },
      }),
    ];
    expect(await find()).toMatchObject({ kind: "payment", payment: { bankId } });
  });

  it.each(["8", "4"])("says at cancel that the status is another by now (%s)", async (code) => {
    const bankId = await bench.created();
    bench.server.faults = [refusal(code)];
    expect(await cancel(bankId)).toEqual({ kind: "final" });
  });

  it.each(["lost-after", "error-after", "half-after", "silent-after"] as const)("leaves a cancel unknown that is %s", async (fault) => {
    const bankId = await bench.created();
    bench.server.faults = [fault];
    expect(await cancel(bankId)).toMatchObject({ kind: "unknown" });
    expect(bench.server.paths().filter((path) => path === "/Cancel")).toHaveLength(1);
    expect(await bench.settled(bench.acquirer.read(bankId, bench.deadline()))).toMatchObject({ payment: { status: "cancelled" } });
  });

  it.each([
    ["3029", { kind: "refused", next: "later" }],
    ["3030", { kind: "refused", next: "later" }],
    ["3002", { kind: "refused", reason: { code: "merchant-funds" }, next: "later" }],
    ["3008", { kind: "refused", reason: { code: "buyer-bank" }, next: "person" }],
    ["3037", { kind: "unknown" }],
    ["8", { kind: "unknown" }],
    ["999", { kind: "unknown" }],
  ])("answers to a refund with %s: %o", async (code, answer) => {
    const bankId = await bench.createdAnd("paid");
    doubled().cancelCode = code;
    expect(await refund(bankId)).toMatchObject(answer);
    doubled().cancelCode = undefined;
  });

  it("never repeats a refund by itself", async () => {
    const bankId = await bench.createdAnd("paid");
    bench.server.requests.length = 0;
    bench.server.faults = ["busy"];
    expect(await refund(bankId)).toEqual({ kind: "busy" });
    bench.server.faults = ["lost-after"];
    expect(await refund(bankId)).toMatchObject({ kind: "unknown" });
    expect(bench.server.paths()).toEqual(["/Cancel", "/Cancel"]);
  });

  it("reads a declined payment that comes with Success false and the code of the buyer's bank", async () => {
    const bankId = await bench.createdAnd("declined");
    bench.server.faults = [(reply) => ({ ...reply, body: { ...(reply.body as object), Success: false, ErrorCode: "5060" } })];
    expect(await bench.settled(bench.acquirer.read(bankId, bench.deadline()))).toMatchObject({
      kind: "payment",
      payment: { status: "declined", reason: { code: "insufficient-funds", bankCode: "5060" } },
    });
  });
});
