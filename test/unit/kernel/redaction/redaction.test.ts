import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createLog } from "../../../../src/app/logging.ts";
import { Failure } from "../../../../src/kernel/failure.ts";
import { redacted, redactedText } from "../../../../src/kernel/redaction/redaction.ts";
import { HIDDEN } from "../../../../src/kernel/redaction/secret-texts.ts";
import { Secret } from "../../../../src/kernel/secret.ts";

const SECRET = "n3ver-in-a-log";

// biome-ignore format: a list of words
const NAMES = [
  "authorization", "Authorization", "proxy-authorization", "cookie", "set-cookie", "password", "operatorPassword", "systemPassword",
  "secret", "secretKey", "secret_key", "privateKey", "publicKey", "token", "access_token", "accessToken", "loyaltyToken", "contextKey",
  "credentials", "signature", "jwt", "sealed", "Platform-Discount-API-Auth-Token", "Lognex-Discount-API-Auth-Token",
  "phone", "email", "buyerContact", "mark", "marks", "cis", "body", "rawBody",
];

describe("the redaction list", () => {
  it.each(NAMES)("hides %s at every depth that a log line has", (name) => {
    const holder = { [name]: SECRET, list: [{ [name]: [SECRET] }], map: { inner: { deep: { deeper: { [name]: { value: SECRET } } } } } };
    const line = JSON.stringify(
      redacted({ ...holder, cause: new Failure("x", "fault", "words", { cause: Object.assign(new Error("inner"), holder) }) }),
    );
    expect(line).not.toContain(SECRET);
    expect(line).toContain(HIDDEN);
  });

  it("leaves an absent value absent", () => {
    expect(redacted({ phone: undefined, email: null })).toEqual({ phone: undefined, email: null });
  });

  it("leaves the names of operations, accounts and registers readable", () => {
    const values = {
      requestId: "a-1",
      accountId: "b-2",
      operation: "sale",
      route: "POST /webhooks/:secret",
      register: "emulator:shop-1",
      outcome: "done",
      keyProblem: "too short",
    };
    expect(redacted(values)).toEqual(values);
  });

  it.each([
    ["Authorization: Bearer abc.def-123 was wrong", "abc.def"],
    ["token eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiJ4In0.c2ln in a text", "eyJqdGki"],
    ["connect postgres://user:pa55word@db:5432/x failed", "pa55word"],
    ["30003 https://fiscal.shop.example/webhooks/Zm9yIHRoZSB0ZXN0cyBvbmx5IQ-_ exists", "Zm9yIHRo"],
    ["sent to buyer@shop.example.ru today", "buyer@"],
    ["sent to +79001234567 today", "9001234567"],
    ["sent to +7 (900) 123-45-67 today", "123-45-67"],
    ["mark 0104600840333117215ABCDEF1234 refused", "ABCDEF1234"],
  ])("hides what is secret inside the text %j", (text, secret) => {
    expect(redactedText(text)).not.toContain(secret);
    expect(redactedText(text)).toContain(HIDDEN);
  });

  it("hides each of two that stand side by side", () => {
    const token = "eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiJ4In0.c2ln";
    expect(redactedText(`first@shop.ru_second@shop.ru x-${token}.eyJhIjoxfQ.b.c`)).toBe(`${HIDDEN}${HIDDEN} x-${HIDDEN}.${HIDDEN}`);
  });

  it.each([
    ["a bearer", "Authorization: Bearer ", "abcdefghij.klmnop-QRSTUV", ""],
    ["a token of three parts", "given ", "eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiJ4eXoifQ.c2lnbmF0dXJl", ""],
    ["a password of an address", "postgres://user:", "pa55word,of{the}database", "@db:5432/x"],
    ["an address of a webhook", "https://shop.example/webhooks/", "Zm9yIHRoZSB0ZXN0cyBvbmx5IQ-_", ""],
    ["an e-mail address", "<", "buyer.name@shop.example.ru", ">"],
    ["a telephone number", "to ", "+79001234567", ""],
    ["a telephone number in groups", "to ", "+7 (900) 123-45-67", ""],
    ["a mark", "", "0104600840333117215ABCDEF1234\u001d93abcd", ""],
  ])("shows no half of %s that stands where a long text is cut", (_, before, secret, after) => {
    const pieces = Array.from({ length: secret.length - 5 }, (__, at) => secret.slice(at, at + 6)).filter((piece) =>
      /[^()\d\s-]|\d{4}/.test(piece),
    );
    for (let first = 8_192 - before.length - secret.length - 10; first < 8_200; first += 1) {
      const text = `${"слово ".repeat(2_000).slice(0, first)} ${before}${secret}${after} ${"и ещё ".repeat(2_000)}`;
      const clean = redactedText(text);
      expect(clean.length).toBeLessThan(8_300);
      expect(pieces.filter((piece) => clean.includes(piece))).toEqual([]);
    }
  });

  it("leaves of a word that is too long, and may be a secret, nothing but its length", () => {
    expect(redactedText("a1".repeat(10_000))).toBe("… [20000 characters]");
    expect(redactedText(`${"a".repeat(20_000)}@shop.example.ru`)).toBe("… [20016 characters]");
  });

  it("bounds what one line takes of many long texts, long names and many members", () => {
    const text = "слово ".repeat(10_000);
    const error = Object.assign(new Error(text, { cause: new Error(text) }), { errors: Array(1_000).fill({ error: text }), [text]: 1 });
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`member${index}`, index]));
    const nested = Array(50).fill(Array(50).fill(Array(50).fill({ text })));
    for (const values of [{ error }, wide, { nested }]) expect(JSON.stringify(redacted(values)).length).toBeLessThan(100_000);
    expect(redacted(wide)).toMatchObject({ member0: 0, member99: 99, "…": "[9900 more]" });
  });

  it.each(["a", "щ", "漢", "½", "1", "а1 ", "+7 (", "a@a.", "://a:", "eyJ."])(
    "takes a moment for a line, however many long texts it has: %j",
    (unit) => {
      const text = `${unit.repeat(1_000_000 / unit.length)}!`;
      const error = Object.assign(new Error(text, { cause: new Error(text) }), { more: text });
      const members = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`member${index}`, text]));
      const lists = Array(50).fill(Array(50).fill(text.slice(0, 9_000)));
      let cpuMs = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const before = process.threadCpuUsage();
        redacted({ error, members });
        redacted({ members: Object.fromEntries(Object.entries(members).map(([name]) => [name, text.slice(0, 9_000)])) });
        redacted({ lists });
        const { user, system } = process.threadCpuUsage(before);
        cpuMs = Math.min(cpuMs, (user + system) / 1_000);
      }
      // Three lines together take less time than a turn of the event loop may.
      expect(cpuMs).toBeLessThan(50);
    },
  );

  it("shows secrets as stars and bytes by their number", () => {
    expect(redacted({ value: new Secret(SECRET), frame: Buffer.from(SECRET) })).toEqual({
      value: "***",
      frame: `[${SECRET.length} bytes]`,
    });
  });

  it("ends a walk round a circle and cuts long lists", () => {
    const circle: Record<string, unknown> = { list: Array.from({ length: 60 }, (_, index) => index) };
    circle.self = circle;
    const clean = redacted(circle);
    expect(inspect(clean, { depth: 20 })).toContain("[deep]");
    expect((clean.list as unknown[]).at(-1)).toBe("[10 more]");
  });
});

describe("a log line", () => {
  const linesOf = (level: string) => {
    const lines: Record<string, unknown>[] = [];
    const log = createLog({ level, destination: { write: (line) => void lines.push(JSON.parse(line)) } });
    return { log, lines };
  };

  it("is one JSON object with time, level, words and values", () => {
    const { log, lines } = linesOf("info");
    log.info({ operation: "sale", durationMs: 4 }, "operation finished");
    expect(lines).toEqual([{ level: "info", time: expect.any(String), operation: "sale", durationMs: 4, msg: "operation finished" }]);
  });

  it("passes the redaction list, its words too", () => {
    const { log, lines } = linesOf("trace");
    for (const level of ["trace", "debug", "info", "warn", "error"] as const) {
      log[level]({ request: { headers: { authorization: SECRET } }, err: new Error(`Bearer ${SECRET}`) }, `Bearer ${SECRET}`);
    }
    expect(lines).toHaveLength(5);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });

  it("keeps an error's stack and cause for the log", () => {
    const { log, lines } = linesOf("error");
    log.error({ err: new Failure("cannot-print", "device", "no paper", { cause: new Error("status 3") }) }, "stopped");
    expect(lines[0]?.err).toMatchObject({ type: "Failure", code: "cannot-print", message: "no paper", cause: { message: "status 3" } });
    expect(lines[0]).toMatchObject({ err: { stack: expect.stringContaining("redaction.test") } });
  });

  it("holds nothing that a terminal would obey, and says the same", () => {
    const written: string[] = [];
    const log = createLog({ level: "info", destination: { write: (line) => void written.push(line) } });
    const name = "\u001b[2J\u009b31m\u007f\u202eбелх\n";
    log.info({ name }, name);
    expect(written.join("")).toMatch(/^[ -~а-я]+\n$/);
    expect(JSON.parse(written[0] ?? "")).toMatchObject({ name, msg: name });
  });

  it("below the level is not written", () => {
    const { log, lines } = linesOf("warn");
    log.info({}, "quiet");
    expect(lines).toEqual([]);
  });
});
