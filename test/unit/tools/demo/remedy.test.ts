import { describe, expect, it } from "vitest";
import { readyLine } from "../../../../src/tools/demo/processes/device-process.ts";
import { remedyFor } from "../../../../src/tools/demo/remedy.ts";

describe("what the demo's cashier does", () => {
  it.each([
    ["a doubt", 409, 50004, "ask-again"],
    ["work that goes on", 409, 50003, "ask-again"],
    ["a refusal of the register", 424, 50020, "tend"],
    ["a full drive", 424, 51041, "tend"],
    ["a register that is out of reach", 503, 50030, "tend"],
    ["a shift of more than 24 hours", 412, 51002, "renew-shift"],
    ["too little cash", 412, 51011, undefined],
    ["changed content", 409, 50002, undefined],
    ["a fault of ours", 500, 50500, undefined],
  ])("about %s, %i with %i, is %s", (_, status, code, kind) => {
    expect(remedyFor(answered(status, { errors: [{ error: "Title", code, error_message: "Слова" }] }))?.kind).toBe(kind);
  });

  it("about a registered document and about an answer without errors is nothing", () => {
    expect(remedyFor(answered(200, { errors: [{ error: "Title", code: 50020, error_message: "Слова" }] }))).toBeUndefined();
    expect(remedyFor(answered(503, "busy"))).toBeUndefined();
  });
});

describe("the line of a device that is ready", () => {
  it("is read once it is whole", () => {
    const line = '{"address":"shtrih-m+tcp://127.0.0.1:7778","control":"127.0.0.1:40001"}';
    expect(readyLine("")).toBeUndefined();
    expect(readyLine(line)).toBeUndefined();
    expect(readyLine(`${line}\n`)).toEqual({ address: "shtrih-m+tcp://127.0.0.1:7778", control: "127.0.0.1:40001" });
  });
});

function answered(status: number, body: unknown) {
  return { kind: "answer" as const, status, contentType: "application/json", body: Buffer.from(JSON.stringify(body)), elapsedMs: 1 };
}
