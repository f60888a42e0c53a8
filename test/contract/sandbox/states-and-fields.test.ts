import { describe, expect, it, onTestFinished } from "vitest";
import { testSandbox } from "../../support/sandbox.ts";

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
