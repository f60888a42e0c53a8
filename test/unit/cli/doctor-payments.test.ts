import { describe, expect, it } from "vitest";
import type { PaymentExamination } from "../../../src/cli/doctor/payments.ts";
import { doctorCommand } from "../../../src/cli/doctor.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import type { AcquirerResult } from "../../../src/operator/payments/examine-acquirers.ts";

const ADDRESS = "https://platform.example/.well-known/jwks.json";
const DAY_MS = 24 * 3_600_000;
const FRESH = { address: ADDRESS, storedAgeMs: 60_000 };
const PROBLEM = "the key address did not answer with keys";
const ANSWERS: AcquirerResult = { kind: "answers" };
const REFUSES: AcquirerResult = { kind: "refuses-settings", reason: { code: "settings", bankCode: "401" } };
const SILENT: AcquirerResult = { kind: "unreachable", problem: "no answer" };
const INVALID: AcquirerResult = { kind: "setting-invalid", problem: "unknown acquirer" };

async function doctor(examination: () => Promise<PaymentExamination>, ...args: string[]) {
  const said: { out: string[]; err: string[] } = { out: [], err: [] };
  const io = {
    out: (text: string) => void said.out.push(text),
    err: (text: string) => void said.err.push(text),
    signal: new AbortController().signal,
  };
  const environment = () => {
    throw new Error("no register was named");
  };
  return { code: await doctorCommand({ environment, payments: examination }).run(args, io), ...said };
}

function seen(results: readonly AcquirerResult[], keys: PaymentExamination["keys"] = FRESH): () => Promise<PaymentExamination> {
  const places = [{ appId: "app", accountId: "account", storeId: "store-1" }];
  const acquirers = results.map((result) => ({ acquirer: "tbank", merchant: "tbank:Terminal", places, result }));
  return () => Promise.resolve({ acquirers, keys });
}

describe("doctor without an address", () => {
  it.each<[string, () => Promise<PaymentExamination>, number, RegExp]>([
    ["nothing is wrong", seen([ANSWERS]), 0, /^Nothing is wrong\.$/m],
    ["there is no acquirer", seen([]), 0, /^ {2}none: tills cannot be paid by QR$/m],
    ["an acquirer does not take the credentials", seen([ANSWERS, REFUSES]), 1, /^STOPS NOW: tbank:Terminal does not take the credentials/m],
    ["a setting cannot be used", seen([INVALID]), 1, /^STOPS NOW: A setting `acquirer` cannot be used/m],
    ["an acquirer does not answer", seen([ANSWERS, SILENT]), 2, /^Not examined: tbank:Terminal/m],
    ["one refuses and another is silent", seen([SILENT, REFUSES]), 1, /^STOPS NOW/m],
    ["no keys can be had", seen([ANSWERS], { address: ADDRESS, problem: PROBLEM }), 1, /^STOPS NOW: No keys/m],
    ["the stored keys are too old", seen([], { address: ADDRESS, problem: PROBLEM, storedAgeMs: DAY_MS + 1 }), 1, /^STOPS NOW: No keys/m],
    ["the stored keys still serve", seen([], { ...FRESH, problem: PROBLEM }), 0, /^STOPS SOON: The key address/m],
  ])("tells that %s", async (_what, examination, code, words) => {
    const told = await doctor(examination);
    expect([told.code, told.err]).toEqual([code, []]);
    expect(told.out.join("\n")).toMatch(words);
  });

  it("writes one JSON object", async () => {
    const { code, out } = await doctor(seen([REFUSES]), "--json");
    expect([code, out.length]).toEqual([1, 1]);
    expect(JSON.parse(out.join(""))).toMatchObject({
      acquirers: [{ acquirer: "tbank", merchant: "tbank:Terminal", places: [{ storeId: "store-1" }], result: "refuses-settings" }],
      keys: { address: ADDRESS, storedAgeMs: 60_000, stops: false },
    });
  });

  it("ends with 2 where there is no database to read the settings from", async () => {
    const { code, out, err } = await doctor(() => Promise.reject(new Failure("store", "dependency", "there is no database")));
    expect([code, out, err]).toEqual([2, [], ["QR payment could not be examined: there is no database"]]);
  });
});
