import { describe, expect, it } from "vitest";
import { PLATFORM_PROFILES } from "../../../../src/kernel/platform-profile.ts";
import { jsonIn, replyIn, UNREADABLE } from "../../../../src/platform/vendor/reply.ts";

const { headers } = PLATFORM_PROFILES.canonical;
const SECRET = 'to"ken-1234567890';
const told = (body: string, more: Record<string, string> = {}) =>
  replyIn({ status: 400, headers: more, body: Buffer.from(body) }, headers, [SECRET]);

describe("what the platform told", () => {
  it("holds no secret of the call, plain or as it stands inside of JSON, in any of its texts", () => {
    const echo = `you sent ${SECRET} and ${JSON.stringify({ token: SECRET })}`;
    const error = { error: echo, parameter: echo, moreInfo: echo, dependencies: [{ meta: { href: `https://a/${SECRET}` } }], code: 1 };
    const auth = { [headers.authMessage.toLowerCase()]: echo };
    const text = JSON.stringify(told(JSON.stringify({ errors: [error] }), auth));
    expect(text).toContain("***");
    expect(text).not.toContain("1234567890");
  });

  it("is bounded, and cut between words", () => {
    const { words, errors } = told(JSON.stringify({ errors: Array(5_000).fill({ error: "слово ".repeat(10) }) }));
    expect(words).toBe("слово ".repeat(10));
    expect(errors).toHaveLength(100);
    expect(told(JSON.stringify({ errors: [{ error: "слово ".repeat(1_000) }] })).words).toBe(`${"слово ".repeat(33).trimEnd()}`);
  });

  it("is nothing where the body is a megabyte of brackets", () => {
    const body = Buffer.from("[".repeat(400_000) + "]".repeat(400_000));
    expect(replyIn({ status: 400, headers: {}, body }, headers, [SECRET]).errors).toEqual([]);
    expect(jsonIn({ status: 200, headers: {}, body: Buffer.from("[".repeat(500_000)) })).toBe(UNREADABLE);
  });
});
