import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../src/platform/entities/catalogue.ts";
import { Resource } from "../../../src/platform/resource.ts";
import { oddPlatform } from "../../support/odd-platform.ts";
import { openShopScene, saleAt, sold } from "../../support/shop-scene.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function scene(...given: Parameters<typeof oddPlatform>) {
  const opened = await oddPlatform(...given);
  closing.push(opened.close);
  return opened;
}

const MIB = 1024 * 1024;
const packedSpaces = (bytes: number) => {
  const packed = gzipSync(Buffer.concat([Buffer.alloc(bytes, " "), Buffer.from("{}")]));
  return (_: IncomingMessage, response: ServerResponse) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
};
const call = { method: "GET", path: "entity/uom" } as const;

describe("the length of an answer", () => {
  it("is at most 16 MiB after unpacking: what has more fails with words, and is not asked for again", async () => {
    const { api, asked } = await scene(packedSpaces(16 * MIB));
    await expect(api.call(call)).rejects.toMatchObject({
      code: "platform-unavailable",
      message: "GET entity/uom: the answer has more than 16777216 bytes",
    });
    expect(asked()).toBe(1);
  });

  it("is less where the caller says so, also through a list", async () => {
    const { api } = await scene(packedSpaces(MIB));
    expect((await api.call(call)).body).toEqual({});
    const tooLong = { code: "platform-unavailable", message: expect.stringContaining("more than 1000 bytes") };
    await expect(api.call({ ...call, maxBytes: 1_000 })).rejects.toMatchObject(tooLong);
    const products = new Resource(api, CATALOGUE.product);
    await expect(products.list({ maxBytes: 1_000 })).rejects.toMatchObject(tooLong);
    await expect(products.all({ maxBytes: 1_000 })[Symbol.asyncIterator]().next()).rejects.toMatchObject(tooLong);
    await expect(products.get("99990000-0000-4000-8000-000000000000", { maxBytes: 1_000 })).rejects.toMatchObject(tooLong);
  });

  it("is kept where nothing is packed: an answer without an end is left in the middle, and the next call goes on", async () => {
    let endless = true;
    const { api } = await scene((_, response) => {
      if (!endless) return void response.end("{}");
      const more = () => {
        while (response.write(Buffer.alloc(64 * 1024, " ")));
      };
      response.on("drain", more);
      more();
    });
    await expect(api.call({ ...call, maxBytes: MIB })).rejects.toMatchObject({ code: "platform-unavailable" });
    endless = false;
    expect((await api.call(call)).body).toEqual({});
  });

  it("is that of a file where a file is asked for", async () => {
    const { api } = await scene(packedSpaces(17 * MIB));
    expect((await api.call({ ...call, form: "bytes" })).bytes).toHaveLength(17 * MIB + 2);
    await expect(api.call({ ...call, form: "bytes", maxBytes: MIB })).rejects.toMatchObject({ code: "platform-unavailable" });
  });

  it("is at most 2 MiB for whatever a sale asks: its document, goods in one list, a point of sale", async () => {
    const shop = await openShopScene();
    closing.push(shop.close);
    const bounds: (number | undefined)[] = [];
    shop.wire.behave = (exchange, pass) => {
      bounds.push(exchange.maxBytes);
      return pass();
    };
    const goods = [...shop.sandbox.account.objects.all("product").values()].slice(0, 2);
    await shop.ask(
      saleAt(
        shop,
        goods.map((each) => sold(each)),
      ),
    );
    const asked = shop.wire.taken().map((path) => path.split("/").slice(0, 2).join("/"));
    expect(new Set(asked)).toEqual(new Set(["entity/product", "entity/retaildemand", "entity/retailstore"]));
    expect(new Set(bounds)).toEqual(new Set([2 * MIB]));
  });
});
