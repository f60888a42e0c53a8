import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../../src/kernel/platform-profile.ts";
import { VendorLine } from "../../../src/platform/vendor/line.ts";
import { oddPlatform } from "../../support/odd-platform.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A platform that accepts requests and sends as much of an answer as the test says. `arrived` resolves with the first request. */
async function silent(says: "nothing" | "half") {
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = await oddPlatform((_, response) => {
    if (says === "half") response.writeHead(200, { "content-length": "1000" }).write("{");
    arrive();
  });
  closing.push(opened.close);
  return { ...opened, arrived };
}

const read = { method: "GET", path: "entity/uom" } as const;
const write = { method: "POST", path: "entity/uom", body: { name: "pack" } } as const;

describe("a wire that is abandoned", () => {
  it.each([
    ["a read without an answer", "nothing", read],
    ["a write without an answer", "nothing", write],
    ["half an answer", "half", read],
  ] as const)("ends %s at once, and nothing is made again", async (_, says, call) => {
    const { api, wire, arrived, asked } = await silent(says);
    const calling = api.call(call);
    const ended = expect(calling).rejects.toMatchObject({
      code: "platform-unreachable",
      message: `${call.method} entity/uom: the connections to the platform were ended`,
    });
    await arrived;
    const closed = wire.close();
    await wire.abandon();
    await Promise.all([ended, closed, wire.abandon()]);
    expect(asked()).toBe(1);
  });

  it("ends a vendor call too, which is not made again and may have arrived", async () => {
    const { url, wire, arrived, asked } = await silent("nothing");
    const line = new VendorLine({
      url,
      token: async () => "token",
      headers: PLATFORM_PROFILES.canonical.headers,
      wire,
      clock: systemClock,
      log: silentLog,
    });
    const calling = line.call({ appId: "a", method: "GET", path: "x", again: "harmless", bounds: {} });
    await arrived;
    await wire.abandon();
    expect(await calling).toMatchObject({ answer: { kind: "cancelled" }, left: true });
    expect(asked()).toBe(1);
  });

  it("sends nothing any more: a call fails at once, without another attempt", async () => {
    const { api, wire, asked } = await silent("nothing");
    await wire.abandon();
    await expect(api.call(read)).rejects.toMatchObject({ code: "platform-unreachable" });
    const exchange = { method: "GET", url: "http://127.0.0.1:9/", headers: {}, body: undefined, signal: new AbortController().signal };
    await expect(wire.exchange(exchange)).rejects.toMatchObject({ name: "WireAbandoned", left: false });
    expect(asked()).toBe(0);
  });
});
