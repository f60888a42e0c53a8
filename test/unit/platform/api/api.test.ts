import { describe, expect, it } from "vitest";
import { type Log, silentLog } from "../../../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../../../src/kernel/platform-profile.ts";
import type { PlatformAnswer, PlatformCall } from "../../../../src/platform/api/answer.ts";
import { PlatformApi } from "../../../../src/platform/api/api.ts";
import { CODES } from "../../../../src/platform/api/codes.ts";
import type { Exchange, Exchanged } from "../../../../src/platform/api/exchange.ts";
import { PlatformFailure } from "../../../../src/platform/api/failure.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const API = "https://api.example/api/remap/1.2";
const RATE = { "x-ratelimit-limit": "45", "x-ratelimit-remaining": "44", "x-platform-retry-timeinterval": "3000" };
type Reply = (exchange: Exchange) => Promise<Exchanged>;

const answers =
  (status: number, body = "", headers: Record<string, string> = {}): Reply =>
  async () => ({ status, headers: { ...RATE, ...headers }, body: Buffer.from(body) });
const refuses = (status: number, ...codes: number[]): Reply =>
  answers(status, JSON.stringify({ errors: codes.map((code) => ({ error: `no ${code}`, code })) }));
const loses: Reply = async () => {
  throw new Error("other side closed");
};
const never: Reply = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

interface Made {
  result: PlatformAnswer | undefined;
  failure: PlatformFailure | undefined;
  exchanges: Exchange[];
  tookMs: number;
  logged: string;
}

/** Makes one call that gets these replies one after the other. At most an hour passes. */
async function make(call: Partial<PlatformCall>, replies: readonly Reply[], parts: { giveUpAfterMs?: number } = {}): Promise<Made> {
  const clock = new VirtualClock(0);
  const exchanges: Exchange[] = [];
  const lines: unknown[] = [];
  const warn: Log["warn"] = (values, text) => lines.push(values, text);
  const giveUp = new AbortController();
  const api = new PlatformApi({
    url: API,
    authorization: () => "Bearer secret-token",
    headers: PLATFORM_PROFILES.canonical.headers,
    clock,
    log: { ...silentLog, warn },
    wire: {
      exchange(exchange) {
        exchanges.push(exchange);
        const reply = replies[exchanges.length - 1];
        if (reply === undefined) throw new Error("one attempt too many");
        return reply(exchange);
      },
      close: async () => {},
      abandon: async () => {},
    },
  });
  const made: Made = { result: undefined, failure: undefined, exchanges, tookMs: 0, logged: "" };
  if (parts.giveUpAfterMs !== undefined) clock.after(parts.giveUpAfterMs, () => giveUp.abort(new Error("closing")));
  const ended = api.call({ method: "GET", path: "entity/product", signal: giveUp.signal, ...call }).then(
    (result) => {
      made.result = result;
      made.tookMs = clock.monotonicMs();
    },
    (error: unknown) => {
      if (!(error instanceof PlatformFailure)) throw error;
      made.failure = error;
      made.tookMs = clock.monotonicMs();
    },
  );
  await clock.advance(3_600_000);
  await ended;
  return { ...made, logged: JSON.stringify(lines) };
}

describe("a call of the platform", () => {
  it("asks for gzip and JSON, with its token, and encodes its parameters once", async () => {
    const { exchanges, result } = await make({ query: { filter: "name=a b;c", limit: undefined } }, [answers(200, '{"rows":[]}')]);
    expect(exchanges[0]?.url).toBe(`${API}/entity/product?filter=name%3Da%20b%3Bc`);
    expect(exchanges[0]?.headers).toEqual({
      accept: "application/json;charset=utf-8",
      "accept-encoding": "gzip",
      authorization: "Bearer secret-token",
    });
    expect(result?.body).toEqual({ rows: [] });
  });

  it("takes an empty body for an answer", async () => {
    const { result } = await make({ method: "DELETE" }, [answers(200)]);
    expect(result).toMatchObject({ status: 200, body: undefined });
  });

  it.each([400, 401, 403, 404, 409, 410, 412, 413, 415])("is not made again after %i", async (status) => {
    const { failure, exchanges } = await make({}, [refuses(status, 3000, 2016)]);
    expect(exchanges).toHaveLength(1);
    expect(failure).toMatchObject({ code: "platform-refused", status });
    expect(failure?.errors.map(({ code }) => code)).toEqual([3000, 2016]);
  });

  it("keeps everything that an error says", async () => {
    const error = {
      error: "in use",
      code: 1028,
      parameter: "id",
      moreInfo: "https://docs.example#1028",
      line: 3,
      column: 5,
      dependencies: [{ meta: { href: `${API}/entity/bundle/1` } }],
    };
    const { failure } = await make({ method: "DELETE" }, [answers(409, JSON.stringify({ errors: [error, { error_message: "words" }] }))]);
    expect(failure?.errors).toEqual([
      { ...error, dependencies: [`${API}/entity/bundle/1`] },
      { error: "words", code: undefined, parameter: undefined, moreInfo: undefined, line: undefined, column: undefined, dependencies: [] },
    ]);
  });

  it("knows a code also when it is written as a text", async () => {
    const { failure } = await make({}, [answers(412, '{"errors":[{"error":"taken","code":"3006"},{"error":"odd","code":"3006x"}]}')]);
    expect(failure?.has(CODES.notUnique)).toBe(true);
    expect(failure?.errors.map(({ code }) => code)).toEqual([3006, undefined]);
  });

  it("falls back to the status when the body is a page or empty", async () => {
    const page = await make({ method: "POST" }, [answers(503, "<html>busy</html>")]);
    expect(page.failure).toMatchObject({ code: "platform-unavailable", status: 503, errors: [], body: "<html>busy</html>" });
    const empty = await make({}, [answers(415)]);
    expect(empty.failure).toMatchObject({ code: "platform-refused", status: 415, errors: [] });
  });

  it("takes a page at 200 for no answer", async () => {
    const { failure, exchanges } = await make({}, [answers(200, "<html>"), answers(200, "<html>")]);
    expect(failure?.code).toBe("platform-unavailable");
    expect(exchanges).toHaveLength(2);
  });

  it.each([502, 503, 504])("that reads is made four times at most after %i, with pauses that grow", async (status) => {
    const { failure, exchanges, tookMs } = await make(
      {},
      Array.from({ length: 4 }, () => refuses(status, 1095)),
    );
    expect(failure).toMatchObject({ code: "platform-unavailable", status });
    expect(exchanges).toHaveLength(4);
    expect(tookMs).toBeGreaterThanOrEqual(4_250);
  });

  it("that reads is made once more after 500", async () => {
    expect((await make({}, [refuses(500, 1999), answers(200, "{}")])).result?.body).toEqual({});
    expect((await make({}, [refuses(500, 1999), refuses(500, 1999)])).exchanges).toHaveLength(2);
  });

  it("that reads is made again when its answer is lost", async () => {
    const { result, exchanges } = await make({}, [loses, loses, answers(200, "{}")]);
    expect(result?.body).toEqual({});
    expect(exchanges).toHaveLength(3);
  });

  it.each([loses, refuses(500, 1999), refuses(502), refuses(503, 1095), refuses(504, 1088)])(
    "that writes is not made again when it may have been carried out",
    async (reply) => {
      const { failure, exchanges } = await make({ method: "POST", body: {} }, [reply]);
      expect(exchanges).toHaveLength(1);
      expect(["platform-unreachable", "platform-unavailable"]).toContain(failure?.code);
    },
  );

  it("that creates with a syncId is made again when its answer is lost", async () => {
    const { result, exchanges } = await make({ method: "POST", body: { syncId: "1" }, repeatable: true }, [loses, answers(200, "{}")]);
    expect(result?.status).toBe(200);
    expect(exchanges.map(({ body }) => body)).toEqual(['{"syncId":"1"}', '{"syncId":"1"}']);
  });

  it.each([502, 503, 504])("that creates with a syncId is made again after %i, as after a lost answer", async (status) => {
    const { result, exchanges } = await make({ method: "POST", body: {}, repeatable: true }, [refuses(status, 1095), answers(200, "{}")]);
    expect([result?.status, exchanges.length]).toEqual([200, 2]);
  });

  it("that the platform has ended by itself for its length is not made again", async () => {
    const { failure, exchanges } = await make({ method: "POST", body: [], repeatable: true }, [refuses(504, 1088)]);
    expect(failure).toMatchObject({ code: "platform-unavailable", status: 504 });
    expect(exchanges).toHaveLength(1);
  });

  it("that writes waits as long as 1049 says, and is made again with the same body", async () => {
    const limited = answers(429, '{"errors":[{"error":"later","code":1049}]}', { "x-platform-retry-after": "2222" });
    const { result, exchanges, tookMs } = await make({ method: "PUT", body: { name: "tea" } }, [limited, answers(200, "{}")]);
    expect(result?.status).toBe(200);
    expect(exchanges[1]?.body).toBe('{"name":"tea"}');
    expect(tookMs).toBeGreaterThanOrEqual(2_222);
    expect(tookMs).toBeLessThan(2_400);
  });

  it("comes back a little later after 1073, and later after a page with 429", async () => {
    const crowded = await make({}, [refuses(429, 1073), answers(200, "{}")]);
    expect(crowded.tookMs).toBe(200);
    const page = await make({}, [answers(429, "<html>"), answers(200, "{}")]);
    expect(page.tookMs).toBeGreaterThanOrEqual(3_000);
  });

  it("gives up a limit without end", async () => {
    const { failure, exchanges } = await make(
      {},
      Array.from({ length: 30 }, () => refuses(429, 1049)),
    );
    expect(failure).toMatchObject({ code: "platform-limited", status: 429 });
    expect(exchanges).toHaveLength(21);
  });

  it("is not made again after too many failed logins, though these are 429", async () => {
    const { failure, exchanges } = await make({}, [refuses(429, 1048)]);
    expect(failure?.has(1048)).toBe(true);
    expect(exchanges).toHaveLength(1);
  });

  it("that reads has a minute, and is not sent again while the platform may still be at work", async () => {
    const { failure, tookMs, exchanges } = await make({}, [never]);
    expect(failure?.message).toContain("no answer within 60000 ms");
    expect([tookMs, exchanges.length]).toEqual([60_000, 1]);
    expect((await make({}, [loses, never])).exchanges).toHaveLength(2);
  });

  it("that writes has longer than the platform takes at most", async () => {
    const { failure, tookMs } = await make({ method: "POST", body: {} }, [never]);
    expect(failure?.code).toBe("platform-unreachable");
    expect(tookMs).toBe(310_000);
  });

  it.each([10, 300])("ends when whoever asked gives up, under way or between attempts", async (giveUpAfterMs) => {
    const { failure, tookMs } = await make({}, [giveUpAfterMs === 10 ? never : loses, loses, loses], { giveUpAfterMs });
    expect(failure?.code).toBe("platform-cancelled");
    expect(tookMs).toBe(giveUpAfterMs);
  });

  it("goes to an address of the API by its own host, whatever host the address names", async () => {
    const path = "https://platform.example/api/remap/1.2/entity/product?offset=1000&search=a%20b";
    const { exchanges } = await make({ path, query: { limit: "5" } }, [answers(200, "{}")]);
    expect(exchanges[0]?.url).toBe(`${API}/entity/product?offset=1000&search=a%20b&limit=5`);
    expect(exchanges[0]?.headers.authorization).toBe("Bearer secret-token");
  });

  it("follows a redirect of a write only where it has moved to on the same host", async () => {
    const call = { method: "PUT", body: { name: "tea" } } as const;
    const moved = await make(call, [answers(308, "", { location: `${API}/entity/product/2` }), answers(200, "{}")]);
    expect(moved.exchanges.map(({ method, body }) => [method, body])).toEqual([
      ["PUT", '{"name":"tea"}'],
      ["PUT", '{"name":"tea"}'],
    ]);
    expect((await make(call, [answers(308, "", { location: "https://other.example/2" })])).exchanges).toHaveLength(1);
    expect((await make(call, [answers(302, "", { location: `${API}/entity/product/2` })])).exchanges).toHaveLength(1);
  });

  it("tells where a redirect leads, and does not go there, when it is asked to", async () => {
    const link = "https://files.example/1?signature=x";
    const call = { path: "download/1", redirects: { kind: "answer", linkSeconds: 600 } } as const;
    const { result, exchanges } = await make(call, [answers(302, "<html>", { location: link })]);
    expect(result).toMatchObject({ status: 302, headers: { location: link } });
    expect(exchanges).toHaveLength(1);
    expect(exchanges[0]?.headers["X-Platform-Download-Expiration-Seconds"]).toBe("600");
  });

  it("mutes webhooks by a header for each beginning of an address, and sends none that would be refused", async () => {
    const muted = ["https://hooks.example/in", "https://other.example"];
    const { exchanges } = await make({ method: "POST", body: {}, muted }, [answers(200, "{}")]);
    expect(exchanges[0]?.headers["X-Platform-WebHook-DisableByPrefix"]).toEqual(muted);
    expect((await make({}, [answers(200, "{}")])).exchanges[0]?.headers).not.toHaveProperty("X-Platform-WebHook-DisableByPrefix");
    for (const wrong of ["hooks.example", "/in", "https://", "ftp://a.example", "https://a.example,https://b.example", ""]) {
      const { failure, exchanges: none } = await make({ method: "POST", body: {}, muted: [wrong] }, []);
      expect([failure?.code, none.length], wrong).toEqual(["platform-unsayable", 0]);
    }
  });

  it("takes an array at 400 and 412 for an answer when it is asked to, and nothing else", async () => {
    const call = { method: "POST", body: [], alsoGood: [400, 412] } as const;
    expect((await make(call, [answers(412, "[{}]")])).result?.body).toEqual([{}]);
    expect((await make(call, [refuses(412, 3000)])).failure?.status).toBe(412);
  });

  it("never tells its token or its query, to a log or in a failure", async () => {
    const { failure, logged } = await make({ query: { search: "Ivanova" } }, [loses, refuses(503), refuses(500, 1999)]);
    expect(logged).toContain("made again");
    for (const text of [logged, String(failure?.stack), JSON.stringify(failure)]) {
      expect(text).not.toContain("secret-token");
      expect(text).not.toContain("Ivanova");
    }
  });
});
