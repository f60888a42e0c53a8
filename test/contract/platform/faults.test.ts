import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../../src/kernel/platform-profile.ts";
import { openWire } from "../../../src/platform/api/exchange.ts";
import { openClient } from "../../../src/platform/client.ts";
import { hastyClock, testClient } from "../../support/platform-client.ts";
import { testSandbox } from "../../support/sandbox.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function scene(...given: Parameters<typeof testClient>) {
  const opened = await testClient(...given);
  closing.push(opened.close);
  return opened;
}

describe("the client against a platform that is not well", () => {
  it("finds at its own address what a list does not show yet", async () => {
    const { client } = await scene({ faults: [{ name: "late-lists", share: 1 }] });
    const made = await client.products.create({ name: "Late" });
    expect((await client.products.get(made)).name).toBe("Late");
    const listed: string[] = [];
    for await (const { id } of client.products.all()) listed.push(id);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it("creates many with their syncIds once, though the answer is lost", async () => {
    const { client } = await scene({ faults: [{ name: "lost-answer", share: 0.4 }], seed: 3 }, hastyClock);
    const many = Array.from({ length: 20 }, (_, at) => ({
      name: `Many ${at}`,
      syncId: `99990000-0000-4000-8000-0000000001${String(at).padStart(2, "0")}`,
    }));
    for (let round = 0; round < 3; round += 1) {
      const results = await client.products.createMany(many);
      expect(results.every(({ kind }) => kind === "done")).toBe(true);
    }
    expect(await client.products.count({ search: "Many" })).toBe(20);
  });

  it("reads page after page through pages of a proxy", async () => {
    const { client } = await scene({ faults: [{ name: "html-error", share: 0.2 }], products: 60, seed: 5 }, hastyClock);
    let rows = 0;
    for await (const _ of client.products.all({ pageSize: 30 })) rows += 1;
    expect(rows).toBe(await client.products.count());
  });

  it("speaks TLS to whom it was told to trust, follows hrefs of a public address by its own", async () => {
    const sandbox = await testSandbox({ tls: true, publicUrl: "https://platform.example" });
    const wire = openWire({ parallel: 1, ...(sandbox.ca === undefined ? {} : { ca: sandbox.ca }) });
    closing.push(
      () => sandbox.close(),
      () => wire.close(),
    );
    const client = openClient({
      url: sandbox.api,
      authorization: () => `Bearer ${sandbox.token}`,
      headers: PLATFORM_PROFILES.canonical.headers,
      wire,
      clock: systemClock,
      log: silentLog,
    });
    const [product] = (await client.products.list({ limit: 1 })).rows;
    expect(product?.meta.href).toMatch(/^https:\/\/platform\.example\//);
    expect((await client.products.get(product?.meta.href ?? "")).id).toBe(product?.id);
    expect((await client.products.update(product?.meta.href ?? "", { description: "seen" })).description).toBe("seen");
  });

  it("reads no further when whoever asked gives up between two pages", async () => {
    const { client } = await scene({ products: 30 });
    const given = new AbortController();
    let rows = 0;
    const reading = async () => {
      for await (const _ of client.products.all({ pageSize: 20, signal: given.signal })) {
        rows += 1;
        if (rows === 20) given.abort(new Error("enough"));
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: "platform-cancelled" });
    expect(rows).toBe(20);
  });
});
