import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PaymentBench } from "../../support/payment-bench.ts";
import { QrContract } from "../../support/qr-contract.ts";

const CYRILLIC = /[А-Яа-я]/;

describe("the QR payment contract", () => {
  let bench: PaymentBench;
  let contract: QrContract;

  beforeEach(async () => {
    bench = await PaymentBench.open();
    contract = new QrContract(bench);
  });

  afterEach(() => bench.close());

  it("answers create with the caller's operation and the text of the code", async () => {
    const { status, body } = await contract.call("qr");
    expect(status).toBe(200);
    expect(body).toEqual({ operationId: "operation-1", data: expect.stringContaining("sum=25920") });
  });

  it("answers state and cancel in the contract's form", async () => {
    await contract.call("qr", contract.body({ amount: 25_902 }));
    const body = contract.body({ amount: 25_902 });
    expect((await contract.call("state", body)).body).toEqual({ operationId: "operation-1", status: "IN_PROGRESS" });
    const cancelled = await contract.call("cancel", body);
    expect([cancelled.status, cancelled.body]).toEqual([200, {}]);
    expect((await contract.call("state", body)).body).toMatchObject({ status: "REJECTED" });
  });

  it.each([
    ["1e3", 1_000],
    ["1000.0", 1_000],
    ["1000", 1_000],
    ["100000e-2", 1_000],
  ])("reads the amount %s as %i kopecks", async (written, kopecks) => {
    const body = JSON.stringify(contract.body({ amount: 0 })).replace('"amount":0', `"amount":${written}`);
    expect((await contract.call("qr", body)).body.data).toContain(`sum=${kopecks}`);
  });

  it.each([
    ['"25920"', 412, 999],
    ["null", 412, 999],
    ["true", 412, 999],
    ["[1]", 412, 999],
    ["{}", 412, 999],
    ["0", 412, 1004],
    ["-1", 412, 1004],
    ["0.5", 412, 1004],
    ["1e-1", 412, 1004],
    ["1e400", 412, 1004],
    ["100000001", 412, 1004],
    ["9007199254740993", 412, 1004],
  ])("refuses the amount %s with %i and %i, and asks no bank", async (written, status, code) => {
    const body = JSON.stringify(contract.body({ amount: 0 })).replace('"amount":0', `"amount":${written}`);
    const answer = await contract.call("qr", body);
    expect([answer.status, answer.body.errors[0].code, answer.body.errors[0].parameter]).toEqual([status, code, "amount"]);
    await expect(bench.stored()).rejects.toThrow("no payment");
  });

  it.each(["accountId", "retailStoreId", "operationId", "amount"])(
    "names the field %s when it is missing, in all three calls",
    async (field) => {
      for (const path of ["qr", "state", "cancel"] as const) {
        const { status, body } = await contract.call(path, contract.body({ [field]: undefined }));
        expect(status, path).toBe(412);
        expect(body, path).toEqual({
          errors: [{ error: expect.any(String), code: 999, errorMessage: expect.stringMatching(CYRILLIC), parameter: field }],
        });
      }
    },
  );

  it.each<[string, (contract: QrContract) => string]>([
    ["without a kid", (on) => on.token({}, { kid: undefined })],
    ["with alg none", (on) => on.token({}, { alg: "none" })],
    ["with HS256", (on) => on.token({}, { alg: "HS256" })],
    ["of a foreign issuer", (on) => on.token({ iss: "https://other.example" })],
    ["that has expired", (on) => on.token({ exp: 1 })],
    ["from two minutes ahead", (on) => on.token({ iat: Math.floor(on.bench.clock.nowMs() / 1_000) + 120 })],
    ["of an unknown key", (on) => on.token({}, { kid: "nobody" })],
    ["that is none", () => "nothing"],
  ])("answers 401 to a token %s", async (_what, make) => {
    const { status, body } = await contract.call("qr", contract.body(), { token: make(contract) });
    expect([status, body.errors[0].code]).toEqual([401, 401]);
    expect(body.errors[0].errorMessage).toMatch(CYRILLIC);
  });

  it.each<[string, (on: QrContract) => object | string, object, number]>([
    ["a good one", (on) => on.body(), {}, 200],
    ["broken JSON", () => "{", {}, 400],
    ["a missing field", (on) => on.body({ amount: undefined }), {}, 412],
    ["an unknown account", (on) => on.body({ accountId: "nobody" }), {}, 403],
  ])("uses the token up by %s", async (_what, make, _options, status) => {
    const token = contract.token();
    expect((await contract.call("qr", make(contract), { token })).status).toBe(status);
    expect((await contract.call("qr", make(contract), { token })).status).toBe(401);
  });

  it.each<[string, object | string, string | undefined, number]>([
    ["a body of another type", "{}", "text/plain", 415],
    ["a body that is too large", `{"x":"${"x".repeat(1_100_000)}"}`, undefined, 413],
  ])("does not use the token up by %s", async (_what, body, type, status) => {
    const token = contract.token();
    expect((await contract.call("qr", body, { token, ...(type === undefined ? {} : { type }) })).status).toBe(status);
    expect((await contract.call("qr", contract.body(), { token })).status).toBe(200);
  });

  it("tells the account, the operation and the point of sale apart", async () => {
    await contract.call("qr");
    const codes = async (path: "qr" | "state" | "cancel", changes: object) => {
      const { status, body } = await contract.call(path, contract.body(changes));
      return [status, body.errors[0].code];
    };
    expect(await codes("qr", { accountId: "other" })).toEqual([403, 1001]);
    expect(await codes("qr", { amount: 25_921 })).toEqual([409, 1003]);
    for (const path of ["qr", "state", "cancel"] as const) expect(await codes(path, { retailStoreId: "other" })).toEqual([404, 1002]);
    for (const path of ["state", "cancel"] as const) expect(await codes(path, { operationId: "other" })).toEqual([404, 1002]);
  });

  it("never answers 5xx, and says what to do, when the acquirer refuses, is away or is not set", async () => {
    for (const [amount, status, code] of [
      [25_904, 424, 1005],
      [25_905, 424, 1007],
    ]) {
      const answer = await contract.call("qr", contract.body({ amount, operationId: `op-${amount}` }));
      expect([answer.status, answer.body.errors[0].code]).toEqual([status, code]);
      expect(answer.body.errors[0].errorMessage).toMatch(CYRILLIC);
    }
    bench.settings = { ...bench.settings, acquirer: "none" };
    const answer = await contract.call("qr", contract.body({ operationId: "op-none" }));
    expect([answer.status, answer.body.errors[0].code]).toEqual([424, 1005]);
  });

  it("answers a fault of its own with 424 and 1007", async () => {
    await bench.store.close();
    const { status, body } = await contract.call("qr");
    expect([status, body.errors[0].code]).toEqual([424, 1007]);
  });

  it("makes one payment of a hundred calls with the same operation at the same moment", async () => {
    const answers = await bench.settled(Promise.all(Array.from({ length: 100 }, () => contract.call("qr"))));
    expect(new Set(answers.map(({ body }) => body.data)).size).toBe(1);
    expect((await bench.stored()).payment.attempt).toBe(1);
  });

  it("takes one of a hundred calls with the same token", async () => {
    const token = contract.token();
    const answers = await bench.settled(Promise.all(Array.from({ length: 100 }, () => contract.call("qr", contract.body(), { token }))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(99);
  });
});
