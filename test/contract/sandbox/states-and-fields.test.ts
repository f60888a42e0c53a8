import { describe, expect, it, onTestFinished } from "vitest";
import { EMPLOYEE, testSandbox } from "../../support/sandbox.ts";
import { openShift, shopReferences } from "../../support/sandbox-shop.ts";

const STATES = "entity/customerorder/metadata/states";

describe("states of a type", () => {
  it("are listed at the address at which they are created (8.2)", async () => {
    const sandbox = await testSandbox();
    onTestFinished(() => sandbox.close());
    const made = await sandbox.call("POST", STATES, { name: "Ждёт", color: 15106326, stateType: "Regular" });
    const list = await sandbox.call("GET", STATES);
    const known = (await sandbox.call("GET", "entity/customerorder/metadata")).at("states") as unknown[];
    expect(list.at("meta")).toMatchObject({ href: `${sandbox.api}/${STATES}`, type: "state", size: known.length });
    expect(list.at("rows")).toEqual(known);
    expect(known).toContainEqual(made.body);
    const page = await sandbox.call("GET", `${STATES}?limit=1&offset=1`);
    expect(page.at("rows")).toEqual([known[1]]);
    expect((await sandbox.call("GET", "entity/retailshift/metadata/states")).status).toBe(404);
  });
});

describe("the switch show of an additional field (8.3)", () => {
  it("exists on documents only", async () => {
    const sandbox = await testSandbox();
    onTestFinished(() => sandbox.close());
    const define = (type: string, more: object) =>
      sandbox.call("POST", `entity/${type}/metadata/attributes`, { name: JSON.stringify(more), type: "string", ...more });
    expect((await define("customerorder", { show: false })).at("show")).toBe(false);
    expect((await define("product", { show: false })).at("show")).toBeUndefined();
    const required = await define("product", { show: false, required: true });
    expect([required.status, required.at("required"), required.at("show")]).toEqual([200, true, undefined]);
  });
});

describe("the last editor (6.2)", () => {
  it("is also who put a document into the recycle bin, and who added a file or an image", async () => {
    const sandbox = await testSandbox();
    onTestFinished(() => sandbox.close());
    const asEmployee = { authorization: `Basic ${Buffer.from(`${EMPLOYEE.login}:${EMPLOYEE.password}`).toString("base64")}` };
    const shift = await openShift(sandbox, await shopReferences(sandbox));
    const goods = await Promise.all(["files", "images"].map((name) => sandbox.call("POST", "entity/product", { name })));
    const [file, picture] = goods.map((each) => String(each.at("meta", "href")));
    await sandbox.call("POST", `${shift.href}/trash`, undefined, asEmployee);
    await sandbox.call("POST", `${file}/files`, { filename: "а.txt", content: "YQ==" }, asEmployee);
    await sandbox.call("POST", `${picture}/images`, { filename: "а.png", content: "iVBORw0KGgo=" }, asEmployee);
    const edited = (type: string, more = "") => sandbox.call("GET", `entity/${type}?filter=updatedBy=${EMPLOYEE.login}${more}`);
    expect((await edited("retailshift", ";isDeleted=true")).at("rows", 0, "meta", "href")).toBe(shift.href);
    expect((await edited("product")).at("rows")).toMatchObject([{ name: "files" }, { name: "images" }]);
  });
});
