import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/kernel/log.ts";
import { VirtualClock } from "../../../src/kernel/virtual-clock.ts";
import { type StatusResult, tellStatus } from "../../../src/platform/lifecycle.ts";

const CALL = { appId: "app", accountId: "account", status: "Activated" } as const;
type Reply = () => Promise<Response>;

const answers =
  (status: number, body = "{}"): Reply =>
  async () =>
    new Response(body, { status });
const fails =
  (reason: string): Reply =>
  async () => {
    throw new TypeError("fetch failed", { cause: new Error(reason) });
  };

/** Runs a call against replies given one after the other; time passes while it waits. */
async function tell(replies: Reply[]): Promise<{ result: StatusResult; requests: { url: string; init: RequestInit }[]; tookMs: number }> {
  const clock = new VirtualClock(0);
  const requests: { url: string; init: RequestInit }[] = [];
  let tokens = 0;
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    requests.push({ url: String(url), init });
    const reply = replies[requests.length - 1];
    if (reply === undefined) throw new Error("one attempt too many");
    return reply();
  };
  const services = { appsUrl: "https://apps.example", token: async () => `token-${++tokens}`, clock, log: silentLog, fetch };
  const told = tellStatus(services, CALL);
  await clock.advance(60_000);
  return { result: await told, requests, tookMs: clock.monotonicMs() };
}

describe("telling the platform a status", () => {
  it("is a PUT with the status, gzip and a token", async () => {
    const { result, requests } = await tell([answers(200)]);
    expect(result).toEqual({ kind: "told" });
    expect(requests[0]?.url).toBe("https://apps.example/api/vendor/1.0/apps/app/account/status");
    expect(requests[0]?.init).toMatchObject({
      method: "PUT",
      body: '{"status":"Activated"}',
      redirect: "manual",
      headers: { Authorization: "Bearer token-1", "Accept-Encoding": "gzip", "Content-Type": "application/json" },
    });
  });

  it("repeats after 5xx, 429 and a lost connection, each time with a token of its own", async () => {
    const { result, requests } = await tell([answers(503), fails("ECONNREFUSED"), answers(200)]);
    expect(result).toEqual({ kind: "told" });
    expect(requests.map(({ init }) => new Headers(init.headers).get("authorization"))).toEqual([
      "Bearer token-1",
      "Bearer token-2",
      "Bearer token-3",
    ]);
    expect((await tell([answers(429), answers(200)])).result).toEqual({ kind: "told" });
  });

  it("gives up after three attempts with the reason of the last", async () => {
    const { result, requests } = await tell([answers(500), answers(500), fails("connect ECONNREFUSED 127.0.0.1:9")]);
    expect(result).toEqual({ kind: "unreachable", reason: "fetch failed: connect ECONNREFUSED 127.0.0.1:9" });
    expect(requests).toHaveLength(3);
  });

  it("does not repeat what was refused, and passes the platform's words on", async () => {
    const { result, requests } = await tell([answers(404, '{"errors":[{"error":"Not installed","code":2004}]}')]);
    expect(result).toEqual({ kind: "refused", status: 404, words: "Not installed" });
    expect(requests).toHaveLength(1);
    expect((await tell([answers(409, "<html>")])).result).toEqual({ kind: "refused", status: 409, words: "" });
  });

  it("does not follow a redirection with its token", async () => {
    expect((await tell([answers(302)])).result).toEqual({ kind: "refused", status: 302, words: "" });
  });

  it("cuts long words of the platform", async () => {
    const { result } = await tell([answers(400, JSON.stringify({ errors: [{ error: "a".repeat(5000) }] }))]);
    expect(result).toEqual({ kind: "refused", status: 400, words: "a".repeat(200) });
  });

  it("waits 5 s for an answer and no longer", async () => {
    const clock = new VirtualClock(0);
    const silence = (_url: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
    const told = tellStatus({ appsUrl: "https://apps.example", token: async () => "t", clock, log: silentLog, fetch: silence }, CALL);
    await clock.advance(5_000 * 3 + 2_500);
    expect(await told).toEqual({ kind: "unreachable", reason: "no answer within 5000 ms" });
  });
});
