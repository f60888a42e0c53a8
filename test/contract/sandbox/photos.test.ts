import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../support/registers.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PHOTO = { filename: "анна.png", content: PNG };
const BYTES = Buffer.from(PNG, "base64");

async function opened(data?: string): Promise<TestSandbox> {
  const sandbox = await testSandbox({ data });
  onTestFinished(() => sandbox.close().catch(() => undefined));
  return sandbox;
}

/** Follows a download address. The file itself is read without a login. */
async function download(sandbox: TestSandbox, address: unknown): Promise<Buffer> {
  const redirect = await sandbox.call("GET", String(address));
  expect(redirect.status).toBe(302);
  const file = await fetch(String(redirect.headers.get("location")));
  return Buffer.from(await file.arrayBuffer());
}

describe("images that are fields", () => {
  it("an employee's photo has the fields of an image and is read at its download address, after a restart too", async () => {
    const data = await temporaryFolder();
    const first = await opened(data);
    const made = await first.call("POST", "entity/employee", { lastName: "Орлова", image: PHOTO });
    expect(made.at("image")).toEqual({
      meta: { href: expect.any(String), type: "image", mediaType: "application/json", downloadHref: expect.any(String) },
      title: "анна",
      filename: "анна.png",
      size: BYTES.length,
      updated: expect.any(String),
      miniature: expect.objectContaining({ downloadHref: expect.any(String) }),
      tiny: expect.objectContaining({ downloadHref: expect.any(String) }),
    });
    expect(await download(first, made.at("image", "meta", "downloadHref"))).toEqual(BYTES);
    await first.close();
    const second = await opened(data);
    const read = await second.call("GET", `entity/employee/${String(made.at("id"))}`);
    expect(await download(second, read.at("image", "meta", "downloadHref"))).toEqual(BYTES);
  });

  it("a photo without name and content changes nothing, a new one takes its place, null removes it", async () => {
    const sandbox = await opened();
    const made = await sandbox.call("POST", "entity/employee", { lastName: "Орлова", image: PHOTO });
    const change = (image: unknown) => sandbox.call("PUT", String(made.at("meta", "href")), { lastName: "Орлова", image });
    expect((await change({})).at("image")).toEqual(made.at("image"));
    expect((await change(made.at("image"))).at("image")).toEqual(made.at("image"));
    expect((await change({ filename: "новая.png", content: PNG })).at("image", "filename")).toBe("новая.png");
    expect((await change(null)).at("image")).toBeUndefined();
  });

  it("an organization's stamp and signatures are images too, and their content is not given back", async () => {
    const sandbox = await opened();
    const made = await sandbox.call("POST", "entity/organization", { name: "ООО «Печать»", stamp: PHOTO, directorSign: PHOTO });
    expect(made.text).not.toContain(PNG);
    for (const name of ["stamp", "directorSign"]) {
      expect(made.at(name)).toMatchObject({ filename: "анна.png", size: BYTES.length });
      expect(await download(sandbox, made.at(name, "meta", "downloadHref"))).toEqual(BYTES);
    }
    const renamed = await sandbox.call("PUT", String(made.at("meta", "href")), { name: "ООО «Оттиск»", stamp: null });
    expect([renamed.at("stamp"), renamed.at("directorSign")]).toEqual([undefined, made.at("directorSign")]);
  });

  it("a file that is a picture has miniature and tiny, another has none (15)", async () => {
    const sandbox = await opened();
    const product = await sandbox.call("POST", "entity/product", { name: "Чай" });
    const text = Buffer.from("как заваривать").toString("base64");
    const files = await sandbox.call("POST", `${String(product.at("meta", "href"))}/files`, [
      { filename: "вид.png", content: PNG },
      { filename: "как.txt", content: text },
    ]);
    expect(files.at(0)).toMatchObject({ miniature: { downloadHref: expect.any(String) }, tiny: { downloadHref: expect.any(String) } });
    expect([files.at(1, "miniature"), files.at(1, "tiny")]).toEqual([undefined, undefined]);
    const small = await fetch(String(files.at(0, "miniature", "downloadHref")));
    expect(small.headers.get("content-type")).toBe("image/png");
  });

  it("an image that an earlier release stored as it was sent is left out of the answer", async () => {
    const sandbox = await opened();
    const { account } = sandbox;
    const [organization] = account.objects.all("organization").values();
    if (organization === undefined) throw new Error("the shop has no organization");
    const stamp = { filename: "старая.png", content: PNG };
    await account.commit(() => account.put({ ...organization, values: { ...organization.values, stamp } }));
    const read = await sandbox.call("GET", `entity/organization/${organization.id}`);
    expect([read.status, read.at("stamp")]).toEqual([200, undefined]);
  });
});
