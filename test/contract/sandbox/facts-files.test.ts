import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXTENT } from "../../support/extent.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { leastBody } from "../../support/sandbox-bodies.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

// json-api 15 and the permanent links of the seed document, fact by fact.

/** One white pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";
const MAX_BYTES = 10 * 1024 * 1024;

describe("files and images", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
  });
  afterAll(() => sandbox.close());

  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    sandbox.call(method, path, body, headers);
  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const make = async (type: string) => String((await call("POST", `entity/${type}`, leastBody(sandbox, type))).at("meta", "href"));
  const image = (filename: string, content = PIXEL) => ({ filename, content });
  const text = (filename: string, bytes = Buffer.from(filename)) => ({ filename, content: bytes.toString("base64") });
  /** A picture of so many bytes: the pixel, then zeros. */
  const picture = (length: number) => Buffer.concat([Buffer.from(PIXEL, "base64"), Buffer.alloc(length)], length).toString("base64");

  describe.each(["product", "variant", "bundle"])("images of a %s", (type) => {
    it("have meta with downloadHref, title, filename, size, updated, miniature and tiny", async () => {
      const images = `${await make(type)}/images`;
      const [added] = (await call("POST", images, image("чайник.png"))).body as Record<string, unknown>[];
      expect(added).toMatchObject({
        meta: { type: "image", mediaType: "application/json", downloadHref: expect.stringContaining("/download/") },
        ...{ title: "чайник", filename: "чайник.png", size: 70, updated: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) },
        miniature: { href: expect.any(String), type: "image" },
        tiny: { href: expect.any(String), type: "image" },
      });
      const list = await call("GET", images);
      expect(list.at("meta")).toMatchObject({ href: images, type: "image", size: 1, limit: 1000, offset: 0 });
      expect(list.at("rows")).toEqual([added]);
    });

    it("have permanent public links that need no authorization, shown with fields=downloadPermanentHref", async () => {
      const href = await make(type);
      await call("POST", `${href}/images`, image("a.png"));
      const shown = await call("GET", `${href}?fields=downloadPermanentHref&expand=images`);
      const link = String(shown.at("images", "rows", 0, "meta", "downloadPermanentHref"));
      const answer = await fetch(link);
      expect([answer.status, Buffer.from(await answer.arrayBuffer()).toString("base64")]).toEqual([200, PIXEL]);
      const plain = await call("GET", `${href}?expand=images`);
      expect(plain.at("images", "rows", 0, "meta", "downloadPermanentHref")).toBeUndefined();
    });

    it("are at most ten (51001)", async () => {
      const images = `${await make(type)}/images`;
      const many = (count: number) => Array.from({ length: count }, (_, at) => image(`${at}.png`));
      expect(faultOf(await call("POST", images, many(11)))).toEqual([412, 51001]);
      expect((await call("POST", images, many(10))).status).toBe(200);
      expect(faultOf(await call("POST", images, image("ещё.png")))).toEqual([412, 51001]);
    });
  });

  it("a service has no images: such an address is not there", async () => {
    expect((await call("GET", `${await make("service")}/images`)).status).toBe(404);
  });

  it("permanent links are for paid plans", async () => {
    const free = await testSandbox({ settings: { plan: "free" } });
    const made = await free.call("POST", "entity/product", { name: "Чай", images: [image("a.png")] });
    const shown = await free.call("GET", `${String(made.at("meta", "href"))}?fields=downloadPermanentHref&expand=images`);
    expect(shown.at("images", "rows", 0, "meta", "downloadHref")).toEqual(expect.any(String));
    expect(shown.at("images", "rows", 0, "meta", "downloadPermanentHref")).toBeUndefined();
    await free.close();
  });

  it("one image in a POST is added, an array takes the list's place, and with an unknown meta nothing changes", async () => {
    const images = `${await make("product")}/images`;
    const first = await call("POST", images, image("a.png"));
    await call("POST", images, image("b.png"));
    const names = async () => ((await call("GET", images)).at("rows") as { filename: string }[]).map(({ filename }) => filename);
    expect(await names()).toEqual(["a.png", "b.png"]);
    await call("POST", images, [image("c.png"), { meta: first.at(0, "meta") }]);
    expect(await names()).toEqual(["c.png", "a.png"]);
    const meta = { ...(first.at(0, "meta") as { href: string }), href: `${images}/00000000-0000-4000-8000-000000000000` };
    expect((await call("POST", images, [{ meta }])).status).toBeGreaterThanOrEqual(400);
    expect(await names()).toEqual(["c.png", "a.png"]);
  });

  it.runIf(EXTENT === "long")("an image is at most 10 MB (51005)", async () => {
    const images = `${await make("product")}/images`;
    expect((await call("POST", images, image("большая.png", picture(MAX_BYTES)))).status).toBe(200);
    expect(faultOf(await call("POST", images, image("слишком.png", picture(MAX_BYTES + 1))))).toEqual([412, 51005]);
  });

  it("images are deleted one by one or by a list, with an empty answer; an unknown one is refused", async () => {
    const images = `${await make("product")}/images`;
    const added = await call("POST", images, [image("a.png"), image("b.png")]);
    const one = await call("DELETE", String(added.at(0, "meta", "href")));
    expect([one.status, one.text]).toEqual([200, ""]);
    const rest = await call("POST", `${images}/delete`, [{ meta: added.at(1, "meta") }]);
    expect([rest.status, rest.text]).toEqual([200, ""]);
    expect(faultOf(await call("DELETE", String(added.at(0, "meta", "href"))))).toEqual([412, 51007]);
    expect((await call("GET", images)).at("meta", "size")).toBe(0);
  });

  it("a download answers 302 with a link that needs no authorization, as long as is asked for, 86400 s at most", async () => {
    const added = await call("POST", `${await make("product")}/images`, image("a.png"));
    const download = (headers?: Record<string, string>) => call("GET", String(added.at(0, "meta", "downloadHref")), undefined, headers);
    const link = await download();
    expect([link.status, link.text]).toEqual([302, ""]);
    expect((await fetch(String(link.headers.get("location")))).status).toBe(200);
    const name = "x-platform-download-expiration-seconds";
    expect((await download({ [name]: "86400" })).status).toBe(302);
    for (const wrong of ["86401", "0", "-1", "1.5", "day"]) {
      expect([wrong, ...faultOf(await download({ [name]: wrong }))]).toEqual([wrong, 412, 3027]);
    }
  });

  describe.each([
    "product",
    "service",
    "bundle",
    "counterparty",
    "retailshift",
    "retaildemand",
    "retaildrawercashin",
    "retaildrawercashout",
    "customerorder",
  ])("files of a %s", (type) => {
    const owner = async () => {
      if (!["retailshift", "retaildemand", "retaildrawercashin", "retaildrawercashout", "customerorder"].includes(type)) return make(type);
      const retailShift = await openShift(sandbox, shop);
      if (type === "retailshift") return retailShift.href;
      const parties = { organization: shop.organization, agent: type === "customerorder" ? shop.buyer : shop.employee };
      const body = type === "retaildemand" ? { retailShift } : { ...parties, sum: 1, ...(type === "customerorder" ? {} : { retailShift }) };
      const made = await call("POST", `entity/${type}`, body);
      return String(made.at("meta", "href"));
    };

    it("are added by POST, never replaced; deleted one by one or by a list; replaced with the object's body", async () => {
      const href = await owner();
      const files = `${href}/files`;
      await call("POST", files, [text("1.txt")]);
      const two = await call("POST", files, [text("2.txt"), text("3.txt")]);
      expect(two.status, two.text).toBe(200);
      const list = await call("GET", files);
      expect(list.at("rows")).toHaveLength(3);
      expect(list.at("rows", 0)).toMatchObject({
        meta: { type: "files", downloadHref: expect.any(String) },
        ...{ title: "1", filename: "1.txt", size: 5, created: expect.stringMatching(/^\d{4}-/), createdBy: { meta: { type: "employee" } } },
      });
      expect((await call("DELETE", String(list.at("rows", 0, "meta", "href")))).status).toBe(200);
      expect((await call("POST", `${files}/delete`, [{ meta: list.at("rows", 1, "meta") }])).status).toBe(200);
      expect((await call("GET", files)).at("meta", "size")).toBe(1);
      const put = await call("PUT", `${href}?expand=files`, { files: [text("4.txt")] });
      expect((put.at("files", "rows") as { filename: string }[]).map(({ filename }) => filename)).toEqual(["4.txt"]);
    });
  });

  it("a retail return has no files, nor has a variant: such an address is not there", async () => {
    expect((await call("GET", `${await make("variant")}/files`)).status).toBe(404);
    expect((await call("GET", "entity/retailsalesreturn/00000000-0000-4000-8000-000000000000/files")).status).toBe(404);
  });

  it.runIf(EXTENT === "long")("an object has at most 100 files (1080), ten in one request (1082), each at most 10 MB (1079)", async () => {
    const href = await make("product");
    const files = `${href}/files`;
    const ten = (round: number) => Array.from({ length: 10 }, (_, at) => text(`${round}-${at}.txt`));
    expect(faultOf(await call("POST", files, [...ten(0), text("11.txt")]))).toEqual([412, 1082]);
    for (let round = 0; round < 10; round += 1) expect((await call("POST", files, ten(round))).status).toBe(200);
    expect(faultOf(await call("POST", files, [text("101.txt")]))).toEqual([412, 1080]);
    const other = `${await make("product")}/files`;
    expect(faultOf(await call("POST", other, [text("слишком.bin", Buffer.alloc(MAX_BYTES + 1))]))).toEqual([412, 1079]);
  });

  it("a file needs a name (1076) and content (1077)", async () => {
    const files = `${await make("counterparty")}/files`;
    expect(faultOf(await call("POST", files, [{ content: "dGV4dA==" }]))).toEqual([412, 1076]);
    expect(faultOf(await call("POST", files, [{ filename: "a.txt" }]))).toEqual([412, 1077]);
  });

  it("what is downloaded is what was uploaded", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    const added = await call("POST", `${await make("counterparty")}/files`, [text("все байты.bin", bytes)]);
    const link = await call("GET", String(added.at(0, "meta", "downloadHref")));
    const answer = await fetch(String(link.headers.get("location")));
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });
});
