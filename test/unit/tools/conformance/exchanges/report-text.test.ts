import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { reportedAnswer, reportedRequest, wordsOfAnswer, wordsOfCall } from "../../../../../src/tools/conformance/exchanges/report-text.ts";
import type { Sent } from "../../../../../src/tools/conformance/exchanges/sent.ts";

const BODY = Buffer.from(JSON.stringify({ name: "x".repeat(500) }));

function sentWith(headers: Record<string, string>, body: Buffer, label = ""): Sent {
  const path = "/vendor/apps/00000000-0000-4000-8000-000000000001/3d6f2a0c-0000-4000-8000-000000000002";
  const exchange = { kind: "answer", status: 200, contentType: "application/json", body: BODY, elapsedMs: 1 } as const;
  return { contract: "vendor", origin: "http://127.0.0.1:1", call: { method: "PUT", path, headers, body }, label, exchange };
}

describe("an exchange in a report", () => {
  it("is a line for people: where to, and what was changed", () => {
    expect(wordsOfCall(sentWith({}, BODY, "no name"))).toBe("PUT /vendor/apps/…/… with no name");
    expect(wordsOfCall(sentWith({}, BODY))).toBe("PUT /vendor/apps/…/…");
    expect(wordsOfAnswer(sentWith({}, BODY))).toMatch(/^200, application\/json, \{"name":"x{40}… \(500 characters\)"\}$/);
  });

  it("is whole for programs, and unpacked", () => {
    const sent = sentWith({ "content-encoding": "gzip" }, gzipSync(BODY));
    expect(reportedRequest(sent)).toMatchObject({ method: "PUT", body: BODY.toString() });
    expect(reportedRequest(sent).url).toMatch(/^http:\/\/127\.0\.0\.1:1\/vendor\/apps\/0{8}-/);
    expect(reportedAnswer(sent.exchange)).toEqual({ status: 200, contentType: "application/json", body: BODY.toString() });
  });

  it("never holds a token that could be used", () => {
    expect(reportedRequest(sentWith({ authorization: "Bearer head.claims.signature" }, BODY)).headers.authorization).toBe(
      "Bearer head.claims.…",
    );
  });

  it("ends where a body is padding", () => {
    const { body } = reportedRequest(sentWith({}, Buffer.from("x".repeat(900_000))));
    expect(body?.length).toBeLessThan(110_000);
    expect(body).toMatch(/… \(900000 characters\)$/);
  });
});
