import { expect, it } from "vitest";
import type { Exchange } from "../../../../../src/tools/sandbox/caller/call.ts";
import { readQrCreated, readQrState } from "../../../../../src/tools/sandbox/caller/qr-answer.ts";

function answered(status: number, body: unknown): Exchange {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "answer", status, contentType: "application/json", body: Buffer.from(text), elapsedMs: 1 };
}

const refusal = (code: number) => ({ errors: [{ error: "Refused", code, errorMessage: "Нельзя" }] });

it("the text to draw and the three states are read", () => {
  expect(readQrCreated(answered(200, { operationId: "1", data: "https://qr.example/1" }))).toEqual({
    kind: "data",
    data: "https://qr.example/1",
  });
  for (const status of ["IN_PROGRESS", "DONE", "REJECTED"])
    expect(readQrState(answered(200, { status }))).toEqual({ kind: "status", status });
});

it.each([
  ["no answer", { kind: "no-answer", reason: "reset", elapsedMs: 1 } as const, false],
  ["a fault of the server", answered(500, refusal(1)), true],
  ["a page of a proxy", answered(502, "<html>"), true],
  ["a bank out of reach", answered(424, refusal(1007)), true],
  ["a bank with no time", answered(429, refusal(1006)), true],
])("after %s the outcome is unknown", (_, exchange, isAnswered) => {
  for (const read of [readQrCreated, readQrState]) expect(read(exchange)).toMatchObject({ kind: "unknown", answered: isAnswered });
});

it.each([
  ["a refusal of the bank", answered(424, refusal(1005)), 424, "424/1005 Нельзя"],
  ["a token that is refused", answered(401, refusal(401)), 401, "401/401 Нельзя"],
  ["words in the title alone", answered(412, { errors: [{ error: "Missing", code: 999 }] }), 412, "412/999 Missing"],
  ["errors of another shape", answered(404, { errors: [{ code: "1002" }, null] }), 404, "404 without errors"],
  ["429 of another kind", answered(429, refusal(1049)), 429, "429/1049 Нельзя"],
])("%s is final", (_, exchange, status, problem) => {
  for (const read of [readQrCreated, readQrState]) expect(read(exchange)).toEqual({ kind: "refused", status, problem });
});

it.each([[""], ["[]"], ["{}"], ['{"data":""}'], ['{"data":1,"status":"done"}'], ["null"]])("200 with %j has no result", (body) => {
  for (const read of [readQrCreated, readQrState]) expect(read(answered(200, body))).toMatchObject({ kind: "refused", status: 200 });
});
