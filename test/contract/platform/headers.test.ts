import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isCut } from "../../../src/platform/page.ts";
import { refTo } from "../../../src/platform/reference.ts";
import { testClient } from "../../support/platform-client.ts";
import { Receiver } from "../../support/receiver.ts";
import { shopReferences } from "../../support/sandbox-shop.ts";

/** One white pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";

describe("what the client says beside its body", () => {
  let scene: Awaited<ReturnType<typeof testClient>>;
  let receivers: [Receiver, Receiver];
  beforeAll(async () => {
    scene = await testClient({ products: 1, settings: { webhookUniqueness: "triple" } });
    receivers = [await Receiver.open(), await Receiver.open()];
  });
  afterAll(async () => {
    await scene.close();
    for (const receiver of receivers) await receiver.close();
  });

  it("mutes the webhooks that begin so, several at once, and no others, for one request", async () => {
    const { client } = scene;
    const [one, other] = receivers;
    for (const { url } of receivers) await client.webhooks.create({ url, action: "CREATE", entityType: "product" });
    await client.products.create({ name: "тихо" }, { muted: [one.url, other.url] });
    const half = await client.products.create({ name: "вполголоса" }, { muted: [one.url] });
    const [loud] = await client.products.createMany([{ name: "громко" }], { muted: ["https://elsewhere.example"] });
    const heardBy = async (receiver: Receiver, count: number) =>
      (await receiver.until(count)).map(({ body }) => Reflect.get(Object(body), "events")[0].meta.href);
    const href = loud?.kind === "done" ? loud.value.meta.href : "refused";
    expect(await heardBy(other, 2)).toEqual([half.meta.href, href]);
    expect(await heardBy(one, 1)).toEqual([href]);
  });

  it("leads a browser to a picture without authorization, and waits for no content itself", async () => {
    const { products } = scene.client;
    const made = await products.create({ name: "С картинкой" });
    const [picture] = await products.images(made).add({ filename: "a.png", content: Buffer.from(PIXEL, "base64") });
    if (picture === undefined) throw new Error("no picture was added");
    const link = (await products.images(made).link(picture, { seconds: 3600 })) ?? "";
    expect(Buffer.from(await (await fetch(link)).arrayBuffer()).toString("base64")).toBe(PIXEL);
    const tooLong = products.images(made).link(picture, { seconds: 86_401 });
    await expect(tooLong).rejects.toMatchObject({ status: 412, errors: [expect.objectContaining({ code: 3027 })] });
    expect(await products.images(made).link({ meta: { downloadHref: null } })).toBeUndefined();
  });

  it("knows an expanded collection that shows less than there is", async () => {
    const { client, sandbox } = scene;
    const shop = await shopReferences(sandbox);
    const order = await sandbox.call("POST", "entity/customerorder", { organization: shop.organization, agent: shop.buyer });
    const href = String(order.at("meta", "href"));
    const [product] = (await client.products.list({ limit: 1 })).rows;
    if (product === undefined) throw new Error("the shop has no product");
    const line = { assortment: refTo(client.api.url, "product", product.id), quantity: 1, price: 100 };
    const cutWith = async (count: number) => {
      await client.customerOrders.lines(href, "positions").add(Array.from({ length: count }, () => line));
      const { positions } = await client.customerOrders.get(href, { expand: ["positions"] });
      if (positions == null) throw new Error("no positions");
      return [positions.rows.length, isCut(positions)];
    };
    expect(await cutWith(100)).toEqual([100, false]);
    expect(await cutWith(1)).toEqual([100, true]);
  });
});
