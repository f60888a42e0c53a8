import { describe, expect, it } from "vitest";
import { type Log, silentLog } from "../../../../../src/kernel/log.ts";
import { defaultSettings, type SandboxSettings } from "../../../../../src/tools/sandbox/settings.ts";
import { WebhookDelivery, withRequestId } from "../../../../../src/tools/sandbox/webhooks/delivery.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

/**
 * Returns a receiver that answers with the given statuses in turn, and with 204 after them. `hang`: there is no answer until the attempt is
 * aborted.
 */
function receiver(answers: (number | "hang")[]) {
  const calls: { url: string; agent: string | null }[] = [];
  const fetch = (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    calls.push({ url: String(url), agent: new Headers(init?.headers).get("user-agent") });
    const answer = answers.shift() ?? 204;
    if (answer !== "hang") return Promise.resolve(new Response(null, { status: answer }));
    return new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted"))));
  };
  return { calls, fetch };
}

async function deliver(answers: (number | "hang")[], settings: Partial<SandboxSettings> = {}, advanceMs = 0) {
  const clock = new VirtualClock(0);
  const { calls, fetch } = receiver(answers);
  const delivery = new WebhookDelivery({ clock, log: silentLog, settings: { ...defaultSettings("canonical"), ...settings }, fetch });
  let outcome: boolean | undefined;
  delivery.send({ url: "https://hooks.example/in?a=%20b", webhook: "w" }, { events: [] }, "id", (delivered) => {
    outcome = delivered;
  });
  await clock.advance(advanceMs);
  return { calls, outcome };
}

describe("delivery of a webhook's notification", () => {
  it.each([200, 204])("an answer of %i is delivered", async (status) => {
    expect(await deliver([status])).toMatchObject({ outcome: true, calls: [{}] });
  });

  it.each([201, 202, 301, 400, 500])("an answer of %i is not, and three more attempts follow at once", async (status) => {
    const { outcome, calls } = await deliver([status, status, status, status]);
    expect([outcome, calls.length]).toEqual([false, 4]);
  });

  it("a receiver has 1500 ms for each of four attempts", async () => {
    expect((await deliver(["hang", "hang", "hang", "hang"], {}, 1499)).calls).toHaveLength(1);
    expect((await deliver(["hang", "hang", "hang", "hang"], {}, 1500)).calls).toHaveLength(2);
    expect(await deliver(["hang", "hang", "hang", "hang"], {}, 6000)).toMatchObject({ outcome: false });
  });

  it("by the setting a time-out ends the delivery at once", async () => {
    const { outcome, calls } = await deliver(["hang"], { webhookTimeout: "drop" }, 1500);
    expect([outcome, calls.length]).toEqual([false, 1]);
  });

  it("the agent's version is a setting, and its form the seed's", async () => {
    expect((await deliver([200])).calls[0]?.agent).toMatch(/^\S+ webhook touch agent 1\.0 \(https:\/\/\S+\)$/);
    expect((await deliver([200], { webhookAgent: "2.0" })).calls[0]?.agent).toContain("agent 2.0");
  });

  it.each([
    "https://hooks.example/s3cret",
    "https://hooks.example/in/s3cret/end",
    "https://hooks.example/in?key=s3cret#s3cret",
    "https://s3cret:s3cret@hooks.example/in",
  ])("no line of the log has the secret of an address: %s", async (url) => {
    const lines: unknown[] = [];
    const take = (values: object) => void lines.push(values);
    const log: Log = { trace: take, debug: take, info: take, warn: take, error: take };
    // The error that `fetch` throws for an invalid address contains the address.
    const refuse = () => Promise.reject(new TypeError(`no request for ${url}`));
    const parts = { clock: new VirtualClock(0), log, settings: defaultSettings("canonical"), fetch: refuse };
    const delivery = new WebhookDelivery(parts);
    await new Promise<boolean>((told) => delivery.send({ url, webhook: "w" }, {}, "id", told));
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toEqual({ webhook: "w", origin: "https://hooks.example" });
    const slow = new WebhookDelivery({ ...parts, fetch: () => new Promise(() => {}) });
    for (let each = 0; each <= 10_001; each += 1) slow.send({ url, webhook: "w" }, {}, "id");
    expect(lines.at(-1)).toEqual({ webhook: "w", origin: "https://hooks.example", limit: 10_000 });
    expect(JSON.stringify(lines)).not.toContain("s3cret");
  });

  it("requestId joins the query and leaves the rest of the address as it is", () => {
    expect(withRequestId("https://hooks.example/in", "1")).toBe("https://hooks.example/in?requestId=1");
    expect(withRequestId("https://hooks.example/in?a=%20b#c", "1")).toBe("https://hooks.example/in?a=%20b&requestId=1#c");
  });
});
