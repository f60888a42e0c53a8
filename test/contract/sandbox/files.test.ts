import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

/** One white pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";

describe("images and files of the sandbox", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
  });
  afterAll(() => sandbox.close());

  const code = (answer: SandboxAnswer) => answer.at("errors", 0, "code");
  const product = async () => String((await sandbox.call("POST", "entity/product", { name: "С картинкой" })).at("meta", "href"));
  const image = (filename: string, content = PIXEL) => ({ filename, content });

  it("one object adds an image, an array replaces the list, old ones kept by their meta", async () => {
    const images = `${await product()}/images`;
    const first = await sandbox.call("POST", images, image("a.png"));
    expect(first.at(0)).toMatchObject({
      filename: "a.png",
      title: "a",
      size: 70,
      miniature: { href: expect.any(String) },
      tiny: { href: expect.any(String) },
    });
    expect((await sandbox.call("POST", images, image("b.png"))).at("length")).toBe(2);
    const kept = await sandbox.call("POST", images, [{ meta: first.at(0, "meta") }, image("c.png")]);
    expect((kept.body as { filename: string }[]).map(({ filename }) => filename)).toEqual(["a.png", "c.png"]);
    expect((await sandbox.call("GET", images)).at("meta", "size")).toBe(2);
  });

  it("the same name and content are the same image", async () => {
    const images = `${await product()}/images`;
    const once = await sandbox.call("POST", images, image("a.png"));
    const twice = await sandbox.call("POST", images, image("a.png"));
    expect(twice.at("length")).toBe(1);
    expect(twice.at(0, "meta")).toEqual(once.at(0, "meta"));
  });

  it("a download is a link that needs no authorization, and permanent links show on request", async () => {
    const href = await product();
    const added = await sandbox.call("POST", `${href}/images`, image("a.png"));
    const link = await sandbox.call("GET", String(added.at(0, "meta", "downloadHref")));
    expect(link.status).toBe(302);
    const bytes = Buffer.from(await (await fetch(String(link.headers.get("location")))).arrayBuffer());
    expect(bytes.toString("base64")).toBe(PIXEL);
    expect(added.at(0, "meta", "downloadPermanentHref")).toBeUndefined();
    const permanent = await sandbox.call("GET", `${href}/images?fields=downloadPermanentHref&limit=10`);
    const address = String(permanent.at("rows", 0, "meta", "downloadPermanentHref"));
    expect((await fetch(address)).headers.get("content-type")).toBe("image/png");
  });

  it.each([
    ["no name", { content: PIXEL }, 51002],
    ["no content", { filename: "a.png" }, 51003],
    ["no image", { filename: "a.png", content: Buffer.from("text, not a picture").toString("base64") }, 51004],
  ])("an image with %s is refused", async (_name, sent, expected) => {
    expect(code(await sandbox.call("POST", `${await product()}/images`, sent))).toBe(expected);
  });

  it("goods have ten images at most", async () => {
    const images = `${await product()}/images`;
    expect(
      (
        await sandbox.call(
          "POST",
          images,
          Array.from({ length: 10 }, (_, at) => image(`${at}.png`)),
        )
      ).status,
    ).toBe(200);
    expect(code(await sandbox.call("POST", images, image("more.png")))).toBe(51001);
    expect((await sandbox.call("GET", images)).at("meta", "size")).toBe(10);
  });

  it("images go one by one or by a list of meta, and with an empty array of the product", async () => {
    const href = await product();
    const added = await sandbox.call("POST", `${href}/images`, [image("a.png"), image("b.png"), image("c.png")]);
    expect((await sandbox.call("DELETE", String(added.at(0, "meta", "href")))).status).toBe(200);
    const gone = await sandbox.call("POST", `${href}/images/delete`, [{ meta: added.at(1, "meta") }]);
    expect([gone.status, gone.text]).toEqual([200, ""]);
    expect((await sandbox.call("PUT", href, { images: [] })).at("images", "meta", "size")).toBe(0);
  });

  it("a product is created with its images in one request", async () => {
    const made = await sandbox.call("POST", "entity/product?expand=images", { name: "Сразу", images: [image("a.png")] });
    expect(made.at("images", "rows", 0, "filename")).toBe("a.png");
  });

  it("documents have files; an array adds, ten at once at most", async () => {
    const shift = await openShift(sandbox, shop);
    const files = `${shift.href}/files`;
    const text = (filename: string) => ({ filename, content: Buffer.from(filename).toString("base64") });
    expect((await sandbox.call("POST", files, [text("1.txt")])).at("length")).toBe(1);
    const two = await sandbox.call("POST", files, [text("2.txt")]);
    expect(two.at(1)).toMatchObject({ filename: "2.txt", size: 5, created: expect.any(String), createdBy: { meta: { type: "employee" } } });
    expect(
      code(
        await sandbox.call(
          "POST",
          files,
          Array.from({ length: 11 }, (_, at) => text(`x${at}.txt`)),
        ),
      ),
    ).toBe(1082);
    expect(code(await sandbox.call("POST", files, [{ filename: "x.txt" }]))).toBe(1077);
    expect((await sandbox.call("GET", shift.href)).at("files", "meta", "size")).toBe(2);
  });

  it("a document in the recycle bin takes no files and loses none: 412 and 3007", async () => {
    const shift = await openShift(sandbox, shop);
    const file = { filename: "1.txt", content: Buffer.from("1").toString("base64") };
    const added = await sandbox.call("POST", `${shift.href}/files`, file);
    await sandbox.call("POST", `${shift.href}/trash`);
    for (const [method, path, body] of [
      ["POST", `${shift.href}/files`, { ...file, filename: "2.txt" }],
      ["POST", `${shift.href}/files`, [{ ...file, filename: "2.txt" }]],
      ["POST", `${shift.href}/files/delete`, [{ meta: added.at(0, "meta") }]],
      ["DELETE", String(added.at(0, "meta", "href")), undefined],
    ] as const) {
      const answer = await sandbox.call(method, path, body);
      expect([answer.status, code(answer)], `${method} ${path}`).toEqual([412, 3007]);
    }
    expect((await sandbox.call("GET", `${shift.href}/files`)).at("meta", "size")).toBe(1);
  });
});

describe("states of the sandbox", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  const BASE = "entity/customerorder/metadata/states";
  const add = (more: object) => sandbox.call("POST", BASE, { name: "Ждёт", color: 15106326, stateType: "Regular", ...more });

  it("metadata lists them with colour, kind and type", async () => {
    const metadata = await sandbox.call("GET", "entity/customerorder/metadata");
    expect(metadata.at("states", 0)).toMatchObject({
      meta: { type: "state" },
      name: expect.any(String),
      color: expect.any(Number),
      stateType: expect.any(String),
      entityType: "customerorder",
    });
    expect((await sandbox.call("GET", "entity/retailshift/metadata")).at("states")).toBeUndefined();
  });

  it("a state is made, changed and deleted; a missing one is 404 with an empty body", async () => {
    const made = await add({});
    expect(made.body).toMatchObject({ meta: { type: "state" }, name: "Ждёт", stateType: "Regular", entityType: "customerorder" });
    const href = String(made.at("meta", "href"));
    expect(href).toContain(`${BASE}/`);
    expect((await sandbox.call("PUT", href, { name: "Ждёт оплаты" })).at("name")).toBe("Ждёт оплаты");
    expect((await sandbox.call("DELETE", href)).status).toBe(200);
    const gone = await sandbox.call("DELETE", href);
    expect([gone.status, gone.text]).toEqual([404, ""]);
  });

  it("needs name, color and stateType; a name once, a kind of three", async () => {
    expect((await sandbox.call("POST", BASE, {})).at("errors", 2, "parameter")).toBe("stateType");
    await add({ name: "Один" });
    expect((await add({ name: "Один" })).at("errors", 0, "code")).toBe(11000);
    expect((await add({ name: "Другой", stateType: "Odd" })).at("errors", 0, "code")).toBe(11001);
    expect(
      (await sandbox.call("POST", BASE, [{ name: "А", color: 1, stateType: "Successful" }, { name: "Б" }])).at(1, "errors", 0, "code"),
    ).toBe(3000);
  });

  it("an order goes from any state to any", async () => {
    const shop = await shopReferences(sandbox);
    const states = (await sandbox.call("GET", "entity/customerorder/metadata")).at("states") as { meta: unknown }[];
    const order = await sandbox.call("POST", "entity/customerorder", { organization: shop.organization, agent: shop.buyer });
    for (const { meta } of [...states, ...[...states].reverse()]) {
      expect((await sandbox.call("PUT", String(order.at("meta", "href")), { state: { meta } })).at("state", "meta")).toEqual(meta);
    }
  });
});
