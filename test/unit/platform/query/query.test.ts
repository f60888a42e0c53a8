import { describe, expect, it } from "vitest";
import { expandText, listParameters, orderText } from "../../../../src/platform/query/query.ts";

describe("the parameters of a list", () => {
  it("are a thousand rows unless more is asked for of each", () => {
    expect(listParameters({}, undefined).limit).toBe("1000");
    expect(listParameters({ expand: ["agent"] }, undefined)).toMatchObject({ limit: "100", expand: "agent" });
    expect(listParameters({ fields: "stock" }, undefined)).toMatchObject({ limit: "100", fields: "stock" });
  });

  it("refuse a limit with which the platform would ignore expand in silence, or refuse", () => {
    expect(() => listParameters({ expand: ["agent"] }, 101)).toThrow("at most 100");
    expect(() => listParameters({}, 1_001)).toThrow("at most 1000");
    expect(() => listParameters({}, -1)).toThrow("a limit of -1");
    expect(listParameters({}, 0).limit).toBe("0");
  });

  it("write an order key by key", () => {
    expect(orderText("name")).toBe("name");
    expect(orderText(["name", ["moment", "desc"]])).toBe("name;moment,desc");
    expect(orderText([])).toBeUndefined();
  });

  it("expand three levels and no more", () => {
    expect(expandText(["agent", "positions.assortment.uom"])).toBe("agent,positions.assortment.uom");
    expect(() => expandText(["a.b.c.d"])).toThrow("three levels");
    expect(expandText([])).toBeUndefined();
  });
});
