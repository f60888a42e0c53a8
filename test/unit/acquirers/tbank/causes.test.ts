import { describe, expect, it } from "vitest";
import { judge } from "../../../../src/acquirers/tbank/failures.ts";

const answer = (members: Record<string, unknown>, status = 200) => judge({ kind: "answer", status, members });

/** The table of qr-acquirers 4.8. */
const CAUSES = [
  ...["204", "205", "501", "3001", "3019", "3038"].map((code) => [code, { kind: "refused", code: "settings", alert: true }] as const),
  ...["8", "4", "3037"].map((code) => [code, { kind: "read" }] as const),
  ["623", { kind: "paid-already" }],
  ...["3016", "3017"].map((code) => [code, { kind: "refused", code: "amount" }] as const),
  ["3002", { kind: "refused", code: "merchant-funds", next: "later" }],
  ...["3008", "3028", "3031"].map((code) => [code, { kind: "refused", code: "buyer-bank", next: "person" }] as const),
  ...["3029", "3030"].map((code) => [code, { kind: "refused", next: "later" }] as const),
  ["5060", { kind: "refused", code: "insufficient-funds" }],
  ...["5061", "5062"].map((code) => [code, { kind: "refused", code: "limit-exceeded" }] as const),
  ...["402", "120", "999", "9999"].map((code) => [code, { kind: "unknown" }] as const),
  ["constructor", { kind: "refused", code: "refused" }],
  ["7", { kind: "refused", code: "refused", alert: false, next: "person" }],
] as const;

describe("an answer of T-Bank", () => {
  it.each(CAUSES)("with error code %s means %o", (ErrorCode, cause) => {
    expect(answer({ Success: false, ErrorCode, Message: "Отказ" })).toMatchObject({
      kind: "failed",
      cause,
      reason: { bankCode: ErrorCode, words: "Отказ" },
    });
  });

  it.each([
    ["success with an error code", { Success: true, ErrorCode: "8" }, 200],
    ["a failure without an error", { Success: false, ErrorCode: "0" }, 200],
    ["success under another status", { Success: true, ErrorCode: "0" }, 302],
    ["an answer that lacks its result", { Status: "NEW" }, 200],
    ["a refusal with HTTP 500", { Success: false, ErrorCode: "204" }, 500],
  ])("is unknown: %s", (_title, members, status) => {
    expect(answer(members, status)).toMatchObject({ kind: "unknown" });
  });

  it("is done with success alone, and busy with HTTP 429 whatever the body", () => {
    expect(answer({ Success: true, ErrorCode: "0" })).toMatchObject({ kind: "done" });
    expect(judge({ kind: "unreadable", status: 429, problem: "page" })).toEqual({ kind: "busy" });
    expect(judge({ kind: "unreadable", status: 403, problem: "page" })).toEqual({ kind: "unknown", problem: "page", unreadable: true });
  });
});
