import { describe, expect, it } from "vitest";
import { neverLeft, reasonOf } from "../../../../src/platform/api/exchange.ts";

const failed = (code: string, message = "") => Object.assign(new Error(message), { code });

describe("an exchange that failed", () => {
  it("has surely sent nothing only when no connection stood", () => {
    for (const code of ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])
      expect(neverLeft(failed(code)), code).toBe(true);
    for (const code of ["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET", "UND_ERR_ABORTED", "UND_ERR_DESTROYED"])
      expect(neverLeft(failed(code)), code).toBe(false);
    for (const unknown of [new Error("x"), "ECONNREFUSED", undefined]) expect(neverLeft(unknown)).toBe(false);
  });

  it("is told by the words of every address that was tried, when it has none of its own", () => {
    const both = new AggregateError([failed("ECONNREFUSED", "connect ECONNREFUSED ::1:9"), failed("EACCES"), new Error("refused")], "");
    expect(reasonOf(both)).toBe("connect ECONNREFUSED ::1:9; refused");
    expect(reasonOf(Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" }))).toBe("ECONNREFUSED");
    expect(reasonOf(new Error("other side closed"))).toBe("other side closed");
  });
});
