import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type supertest from "supertest";
import { describe, expect, it } from "vitest";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import type { Submission, Submitted } from "../../src/operations/submission.ts";
import { contract, identity, keyPair, party, REGISTRATION_ID, signatureOf } from "../support/fiscal.ts";
import { cashIn, closeShift, openShift, publishedSale, sale, salesReturn } from "../support/fiscal-bodies.ts";

const IN_DOUBT: Submitted = { kind: "in-doubt", doubt: { code: "no-answer", reason: "Нет связи с кассой." } };
const KEY = keyPair();

/** The status, code and field of the single error in the answer. Also checks the form of the answer. */
function errorOf(response: supertest.Response): [number, number, string?] {
  expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(response.body.errors).toHaveLength(1);
  const [{ error, code, error_message: message, parameter, ...others }] = response.body.errors;
  expect(others).toEqual({});
  expect(error).toMatch(/^[\x20-\x7e]+$/);
  expect(message).toMatch(/[а-яё]/i);
  return parameter === undefined ? [response.status, code] : [response.status, code, parameter];
}

describe("the six paths of the fiscal contract", () => {
  const calls = [
    ["/fiscal/1/openshift", openShift(), "open-shift"],
    ["/fiscal/1/retaildemand", sale(), "sale"],
    ["/fiscal/1/retaisalesreturn", salesReturn(), "sales-return"],
    ["/fiscal/1/retailsalesreturn", salesReturn(), "sales-return"],
    ["/fiscal/1/retaildrawercashin", cashIn(), "cash-in"],
    ["/fiscal/1/retaildrawercashout", cashIn(), "cash-out"],
    ["/fiscal/1/closeshift", closeShift(), "close-shift"],
  ] as const;
  for (const [path, body, kind] of calls) {
    it(`take a signed body at ${path} and hand over the operation ${kind}`, async () => {
      const { send, submitted } = contract({ key: KEY });
      const response = await send(path, body);
      expect(response.status).toBe(200);
      expect(submitted.map(({ appId, accountId, operation }) => [appId, accountId, operation.kind])).toEqual([["app", "account", kind]]);
    });
  }

  it("answer another method with 405 and the one that is allowed", async () => {
    const { send, submitted } = contract({ key: KEY });
    for (const [path, method, allowed] of [
      ["/fiscal/1/openshift", "POST", "PUT"],
      ["/fiscal/1/retaildemand", "PUT", "POST"],
      ["/fiscal/1/closeshift", "GET", "PUT"],
      ["/fiscal/1/retaildrawercashin", "DELETE", "POST"],
    ] as const) {
      const response = await send(path, openShift(), { method });
      expect(errorOf(response)).toEqual([405, 50405]);
      expect(response.headers.allow).toBe(allowed);
    }
    expect(submitted).toEqual([]);
  });

  it("answer an unknown path with 404, before anything of the request is proved", async () => {
    const { send } = contract({ key: KEY });
    expect(errorOf(await send("/fiscal/1/prepayment", {}, { signature: undefined }))).toEqual([404, 50404]);
    expect(errorOf(await send("/fiscal/2/openshift", openShift()))).toEqual([404, 50404]);
    expect(errorOf(await send("/fiscal/", {}))).toEqual([404, 50404]);
    expect(errorOf(await send("/fiscal/1/%ff", {}))).toEqual([404, 50404]);
  });
});

describe("the proof of a fiscal request", () => {
  it("refuses what is unsigned, badly signed, signed by a stranger, or signed over other bytes, and submits nothing", async () => {
    const { send, submitted, lines } = contract({ key: KEY });
    const other = signatureOf(Buffer.from(JSON.stringify({ ...sale(), name: "00016" })), KEY);
    const stranger = signatureOf(Buffer.from(JSON.stringify(sale())), keyPair());
    for (const signature of [undefined, "", "nonsense", "QUJD", other, stranger]) {
      expect(errorOf(await send("/fiscal/1/retaildemand", sale(), { signature }))).toEqual([412, 12017]);
    }
    expect(submitted).toEqual([]);
    expect(lines.every(({ level }) => level === "warn")).toBe(true);
  });

  it("keeps the digest of an unproved body for diagnosis, and nothing of the body", async () => {
    const { send, lines } = contract({ key: KEY });
    await send("/fiscal/1/retaildemand", sale(), { signature: "QUJD" });
    expect(lines[0]?.values).toMatchObject({
      accountId: "account",
      given: "QUJD",
      bodySha256: createHash("sha256").update(JSON.stringify(sale())).digest("hex"),
    });
    expect(JSON.stringify(lines)).not.toMatch(/Дарницкий|70000000000/);
  });

  it("refuses an account id that is missing, unknown, or not of the form of one", async () => {
    const { send, submitted } = contract({ key: KEY });
    const header = PLATFORM_PROFILES.canonical.headers.fiscalAccountId;
    for (const id of ["", "11111111-2222", "a".repeat(65), "'; drop table", "../etc"]) {
      expect(errorOf(await send("/fiscal/1/retaildemand", sale(), { headers: { [header]: id } }))).toEqual([412, 12017]);
    }
    expect(submitted).toEqual([]);
  });

  it("refuses an installation that is not active, or whose key cannot be read", async () => {
    for (const over of [{ state: "suspended" }, { state: "uninstalled" }, { state: "settings_required" }] as const) {
      const { send } = contract({ key: KEY, parties: { [REGISTRATION_ID]: party([KEY], over) } });
      expect(errorOf(await send("/fiscal/1/openshift", openShift()))).toEqual([412, 12017]);
    }
    const { send } = contract({ key: KEY, parties: { [REGISTRATION_ID]: party([], { keyProblem: "not RSA" }) } });
    const response = await send("/fiscal/1/openshift", openShift());
    expect(errorOf(response)).toEqual([412, 12017]);
    expect(response.body.errors[0].error_message).toContain("не читается");
  });

  it("takes a request that was signed with the key before the last one while that one still counts", async () => {
    const { send } = contract({ key: KEY, parties: { [REGISTRATION_ID]: party([keyPair(), KEY]) } });
    expect((await send("/fiscal/1/openshift", openShift())).status).toBe(200);
  });

  it("looks at the headers of the active profile only", async () => {
    const { send } = contract({ key: KEY, services: { profile: PLATFORM_PROFILES.production } });
    expect((await send("/fiscal/1/openshift", openShift())).status).toBe(200);
    const canonical = contract({ key: KEY });
    const bytes = Buffer.from(JSON.stringify(openShift()));
    const headers = {
      [PLATFORM_PROFILES.canonical.headers.fiscalAccountId]: "",
      [PLATFORM_PROFILES.production.headers.fiscalAccountId]: REGISTRATION_ID,
      [PLATFORM_PROFILES.production.headers.fiscalSignature]: signatureOf(bytes, KEY),
    };
    expect(errorOf(await canonical.send("/fiscal/1/openshift", bytes, { headers, signature: undefined }))).toEqual([412, 12017]);
  });

  it("comes before JSON: an unsigned body that is no JSON is unproved, a signed one is broken", async () => {
    const { send } = contract({ key: KEY });
    expect(errorOf(await send("/fiscal/1/openshift", "{", { signature: "QUJD" }))).toEqual([412, 12017]);
    expect(errorOf(await send("/fiscal/1/openshift", "{"))).toEqual([400, 50400]);
  });
});

describe("pairing", () => {
  const digest = createHash("sha256").update(JSON.stringify(openShift())).digest("hex");
  const signature = signatureOf(Buffer.from(digest), KEY);

  it("finds the scheme of the first signed request outside production, pins it and says so", async () => {
    const { send, settings, lines } = contract({ key: KEY, settings: { signatureScheme: "pair" }, services: { pairingAllowed: true } });
    expect((await send("/fiscal/1/openshift", openShift(), { signature })).status).toBe(200);
    expect(settings.signatureScheme).toBe("pkcs1-sha256-sha256-hex");
    expect(lines.find(({ text }) => text.startsWith("paired"))?.values).toEqual(
      expect.objectContaining({ accountId: "account", scheme: "pkcs1-sha256-sha256-hex" }),
    );
    expect((await send("/fiscal/1/openshift", openShift(), { signature })).status).toBe(200);
    expect(errorOf(await send("/fiscal/1/openshift", openShift()))).toEqual([412, 12017]);
  });

  it("pins nothing for a request that no scheme explains", async () => {
    const { send, settings } = contract({ key: KEY, settings: { signatureScheme: "pair" }, services: { pairingAllowed: true } });
    expect(errorOf(await send("/fiscal/1/openshift", openShift(), { signature: "QUJD" }))).toEqual([412, 12017]);
    expect(settings.signatureScheme).toBe("pair");
  });

  it("does not happen in production: there the default scheme counts", async () => {
    const { send, settings } = contract({ key: KEY, settings: { signatureScheme: "pair" } });
    expect(errorOf(await send("/fiscal/1/openshift", openShift(), { signature }))).toEqual([412, 12017]);
    expect((await send("/fiscal/1/openshift", openShift())).status).toBe(200);
    expect(settings.signatureScheme).toBe("pair");
  });
});

describe("the body of a fiscal request", () => {
  it("may be gzipped: the signature is over the decoded bytes", async () => {
    const { send, submitted } = contract({ key: KEY });
    const bytes = Buffer.from(JSON.stringify(sale()));
    const headers = { "content-encoding": "gzip" };
    expect((await send("/fiscal/1/retaildemand", gzipSync(bytes), { headers, signature: signatureOf(bytes, KEY) })).status).toBe(200);
    expect(submitted).toHaveLength(1);
    expect(errorOf(await send("/fiscal/1/retaildemand", gzipSync(bytes), { headers }))).toEqual([412, 12017]);
  });

  it("is refused above 1 MiB, on the wire or unpacked, whatever its signature", async () => {
    const { send, submitted } = contract({ key: KEY });
    const large = Buffer.alloc(1024 * 1024 + 1, 0x20);
    expect(errorOf(await send("/fiscal/1/openshift", large, { signature: "QUJD" }))).toEqual([413, 50413]);
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(errorOf(await send("/fiscal/1/openshift", bomb, { headers: { "content-encoding": "gzip" } }))).toEqual([413, 50413]);
    expect(submitted).toEqual([]);
  });

  it("is refused under another content type or encoding, and when its gzip is broken", async () => {
    const { send } = contract({ key: KEY });
    expect(errorOf(await send("/fiscal/1/openshift", openShift(), { headers: { "content-type": "text/plain" } }))).toEqual([415, 50415]);
    expect(errorOf(await send("/fiscal/1/openshift", openShift(), { headers: { "content-encoding": "br" } }))).toEqual([415, 50415]);
    expect(errorOf(await send("/fiscal/1/openshift", openShift(), { headers: { "content-encoding": "gzip" } }))).toEqual([400, 50400]);
  });

  it("is broken when it is no JSON, no UTF-8, nested too deep, or empty", async () => {
    const { send, submitted } = contract({ key: KEY });
    for (const body of ["", "{'a':1}", '{"name": NaN}', Buffer.from([0x7b, 0xff, 0x7d]), `${"[".repeat(65)}${"]".repeat(65)}`]) {
      expect(errorOf(await send("/fiscal/1/openshift", body))).toEqual([400, 50400]);
    }
    expect(submitted).toEqual([]);
  });

  it("with something other than an object in it is refused as wrong", async () => {
    const { send } = contract({ key: KEY });
    for (const body of ["[]", '"text"', "12", "null", "true"]) {
      expect(errorOf(await send("/fiscal/1/openshift", body))).toEqual([412, 999]);
    }
  });

  it("names the first field that is missing or wrong", async () => {
    const { send, submitted } = contract({ key: KEY });
    const { name: _, ...nameless } = sale();
    expect(errorOf(await send("/fiscal/1/retaildemand", nameless))).toEqual([412, 999, "name"]);
    const [first, ...others] = sale().positions;
    const wrong = { ...sale(), positions: [first, { ...others[0], price: "ten" }] };
    expect(errorOf(await send("/fiscal/1/retaildemand", wrong))).toEqual([412, 999, "positions[1].price"]);
    expect(errorOf(await send("/fiscal/1/retaildrawercashin", { ...cashIn(), sum: "0" }))).toEqual([412, 999, "sum"]);
    expect(submitted).toEqual([]);
  });
});

describe("the answer to a fiscal request", () => {
  const fiscal = { kind: "fiscal", identity: identity(), documentNumber: 318, fiscalSign: "1204745171", shiftNumber: 27 } as const;
  const totals = { signs: [], corrections: 0 };
  const shiftReport = {
    receipts: 3,
    documents: 5,
    unsent: 0,
    keyDays: 1042,
    shiftTotals: totals,
    driveTotals: totals,
    drawer: { inKopecks: 0, outKopecks: 0, balanceKopecks: 0 },
  };
  const done = (facts: Parameters<Submission["answer"]>[0]["facts"], receipt: Buffer | undefined = Buffer.from([0xfb, 0xff])) =>
    contract({
      key: KEY,
      outcome: (submission) => ({
        kind: "done",
        answer: submission.answer(receipt === undefined ? { facts } : { facts, receipt }),
        replayed: false,
      }),
    });

  it("has the fields of a sale in the documents' order, all of them strings", async () => {
    const facts = { ...fiscal, document: "receipt", time: "2026-11-12 18:42:11" } as const;
    const response = await done(facts).send("/fiscal/1/retaildemand", sale());
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(response.text).toBe(
      '{"fnNumber":"9999078900001234","kktRegNumber":"0000000042042817","fiscalDocNumber":"318","fiscalDocSign":"1204745171","receipt":"+/8=","time":"2026-11-12 18:42:11"}',
    );
  });

  it("of an opened shift has its number, of a closed one also the two totals as integers", async () => {
    const opened = await done({ ...fiscal, document: "open-shift", time: "2026-11-13 09:00:00" }).send("/fiscal/1/openshift", openShift());
    expect(Object.keys(opened.body)).toEqual([
      "fnNumber",
      "kktRegNumber",
      "fiscalDocNumber",
      "fiscalDocSign",
      "receipt",
      "shiftNumber",
      "time",
    ]);
    expect(opened.body.shiftNumber).toBe("27");
    const facts = { ...fiscal, document: "close-shift", time: "2026-11-13 21:05:00", shiftReport } as const;
    const closed = await done(facts).send("/fiscal/1/closeshift", closeShift());
    expect(closed.text).toMatch(/"shiftNumber":"27","time":"2026-11-13 21:05:00","chequesTotal":3,"fiscalDocsTotal":5}$/);
  });

  it("of cash in and out has 0 for the number and the sign that do not exist", async () => {
    const { send } = contract({ key: KEY });
    const { body } = await send("/fiscal/1/retaildrawercashin", cashIn());
    expect(body).toEqual({
      fnNumber: "9999078900001234",
      kktRegNumber: "0000000042042817",
      fiscalDocNumber: "0",
      fiscalDocSign: "0",
      time: "2026-11-13 09:02:00",
    });
  });

  it("goes out byte for byte as it was stored", async () => {
    const stored = Buffer.from('{ "fnNumber" : "1" }\n');
    const { send, lines } = contract({ key: KEY, outcome: () => ({ kind: "done", answer: stored, replayed: true }) });
    expect((await send("/fiscal/1/openshift", openShift())).text).toBe(stored.toString());
    expect(lines.find(({ text }) => text === "operation finished")?.values).toMatchObject({ replayed: true });
  });

  const outcomes: [string, Submitted, [number, number, string?]][] = [
    [
      "a refusal of the model",
      { kind: "refused", refusal: { code: "vat-rate", parameter: "positions[0].vat" } },
      [412, 51020, "positions[0].vat"],
    ],
    ["a closed shift", { kind: "refused", refusal: { code: "shift-closed" } }, [412, 51001]],
    ["a device's refusal", { kind: "refused", refusal: { code: "device-refused", device: { code: "4Eh", words: "Отказ" } } }, [424, 50020]],
    ["a register that cannot be reached", { kind: "refused", refusal: { code: "register-unreachable" } }, [503, 50030]],
    ["other content under the same key", { kind: "content-differs" }, [409, 50002]],
    ["the same document under the other id type", { kind: "refused", refusal: { code: "other-id-type" } }, [409, 50002]],
    ["work that still runs", { kind: "running" }, [409, 50003]],
    ["an outcome in doubt", IN_DOUBT, [409, 50004]],
  ];
  for (const [what, outcome, expected] of outcomes) {
    it(`to ${what} is ${expected.slice(0, 2).join(" and ")}`, async () => {
      const { send } = contract({ key: KEY, outcome: () => outcome });
      expect(errorOf(await send("/fiscal/1/retaildemand", sale()))).toEqual(expected);
    });
  }

  it("in doubt says that nobody knows, and not to ring it up again", async () => {
    const { send } = contract({ key: KEY, outcome: () => IN_DOUBT });
    const { body } = await send("/fiscal/1/retaildemand", sale());
    expect(body.errors[0].error_message).toMatch(/^Неизвестно, пробит ли чек\. Не пробивайте заново.* Причина: Нет связи с кассой\.$/);
  });

  it("is 500 without a trace of the fault when the work throws, and says that a repeat is safe", async () => {
    const { send, lines } = contract({
      key: KEY,
      outcome: () => {
        throw new Error("secret detail");
      },
    });
    const response = await send("/fiscal/1/retaildemand", sale());
    expect(errorOf(response)).toEqual([500, 50500]);
    expect(response.text).not.toContain("secret");
    expect(lines.at(-1)).toMatchObject({ level: "error" });
  });

  it("names a refusal by its code and field at warning level", async () => {
    const { send, lines } = contract({ key: KEY });
    await send("/fiscal/1/retaildemand", { ...sale(), moment: "yesterday" });
    expect(lines).toMatchObject([{ level: "warn", values: { outcome: "refused", refusal: "field-invalid", parameter: "moment" } }]);
  });

  it.each([
    ["retaildemand", sale(), 100, "FISCAL_MONEY_SCALE", "positions[0].price"],
    ["retaildemand", { ...sale(), payments: { cardSum: "1.005" } }, 1, "FISCAL_MONEY_SCALE", "payments.cardSum"],
    ["retaildrawercashin", { ...cashIn(), sum: "100.50" }, 100, "FISCAL_CASH_SCALE", "sum"],
    ["retaildrawercashout", { ...cashIn(), sum: "100.505" }, 1, "FISCAL_CASH_SCALE", "sum"],
  ] as const)(
    "and the answer name the variable whose unit an amount is too fine for, and the cashier's words the field: %s",
    async (path, body, scale, variable, field) => {
      const { send, lines, submitted } = contract({ key: KEY, services: { scales: { money: scale, cash: scale } } });
      const response = await send(`/fiscal/1/${path}`, body);
      expect(response.status).toBe(412);
      const [error] = response.body.errors;
      expect(error).toMatchObject({ code: 999, parameter: variable });
      expect(error.error_message).toContain(`Поле «${field}» заполнено неверно: в нём доли копейки.`);
      expect(error.error_message).not.toContain("FISCAL");
      expect(lines).toMatchObject([{ level: "warn", values: { outcome: "refused", parameter: variable, details: { field } } }]);
      expect(submitted).toEqual([]);
    },
  );
});

describe("a request as the platform's documents show it", () => {
  it("becomes the operation of the published sale, with sums in kopecks where the scale says so", async () => {
    const { send, submitted } = contract({ key: KEY, services: { scales: { money: 100, cash: 100 } } });
    expect((await send("/fiscal/1/retaildemand", publishedSale())).status).toBe(200);
    expect(submitted[0]?.operation).toMatchObject({
      kind: "sale",
      document: { id: "5b0d2c1e-6f10-4d0a-9a57-2f0f6a7c3e01", idType: "native" },
      shift: { id: "0c2e9d44-8b7a-4a6e-9d37-5f1f2f3a4b5c", idType: "native" },
      storeId: "77a1c0de-1111-4222-8333-944455566677",
      name: "00031",
      moment: "2026-03-02 10:15:40",
      cashier: { id: "3e3e7a10-0d0d-4b4b-8c8c-1a2b3c4d5e6f", firstName: "Olga", lastName: "Petrova" },
      positions: [{ quantityMillionths: 3_000_000, priceKopecks: 9600, discountPercent: "10", vatPercent: "10" }],
      payments: { cashKopecks: 0, cardKopecks: 25920 },
    });
  });

  it("keeps a quantity exact that binary numbers cannot hold", async () => {
    const { send, submitted } = contract({ key: KEY });
    const body = JSON.stringify(sale()).replace('"quantity":0.356', '"quantity":0.300000');
    expect((await send("/fiscal/1/retaildemand", body)).status).toBe(200);
    const [submission] = submitted;
    expect(submission?.operation).toMatchObject({ positions: [{}, { quantityMillionths: 300_000 }, {}] });
  });

  it("takes 300 positions and refuses more than the bound", async () => {
    const { send, submitted } = contract({ key: KEY });
    const [position] = sale().positions;
    const many = (count: number) => ({ ...sale(), positions: Array.from({ length: count }, () => position) });
    expect((await send("/fiscal/1/retaildemand", many(300))).status).toBe(200);
    expect(submitted[0]?.operation).toHaveProperty("positions.length", 300);
    expect(errorOf(await send("/fiscal/1/retaildemand", many(1001)))).toEqual([412, 999, "positions"]);
  });
});
