import { describe, expect, it } from "vitest";
import { readBankJson } from "../../../src/acquirers/bank-json.ts";
import { parseJson } from "../../../src/http/json-body.ts";
import { parseStorable, storableText } from "../../../src/kernel/json/storable.ts";
import { answerJsonAtOnce } from "../../../src/platform/api/answer-json.ts";
import { readAgentFrame } from "../../../src/registers/agent/wire/frames-schema.ts";

const WRITTEN = String.raw`{"text":"a\u0000b\ud800c\uDC00","whole":"\ud83d\ude00","plain":"\\u0000","list":["\u0000"]}`;
const READ = { text: "a b\ufffdc\ufffd", whole: "😀", plain: String.raw`\u0000`, list: [" "] };
const HALVES_KEPT = { ...READ, text: "a b\ud800c\udc00" };

describe("a text that no database can store", () => {
  it("has a space for a NUL and the replacement character for half a character", () => {
    expect(storableText("a\u0000b\ud800c")).toBe("a b\ufffdc");
    expect(storableText("обычный 😀")).toBe("обычный 😀");
  });

  it("is read so from every JSON that comes from outside", () => {
    expect(parseStorable(WRITTEN)).toEqual(HALVES_KEPT);
    const frame = String.raw`{"log":["a\u0000b","\\u0000","\\\u0000"]}`;
    expect(readAgentFrame(frame)).toEqual({ log: ["a b", String.raw`\u0000`, "\\ "] });
    expect(parseJson(Buffer.from(WRITTEN))).toEqual({ kind: "json", value: READ });
    expect(answerJsonAtOnce(Buffer.from(WRITTEN), 10_000)).toEqual({ kind: "json", value: HALVES_KEPT });
    expect(readBankJson(Buffer.from(WRITTEN))).toEqual({ kind: "object", members: READ });
  });
});
