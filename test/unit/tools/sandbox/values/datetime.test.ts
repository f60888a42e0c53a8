import { describe, expect, it } from "vitest";
import { readDatetime } from "../../../../../src/tools/sandbox/values/datetime.ts";

describe("readDatetime", () => {
  it("takes the first moment of the platform, 1970-01-01 03:00:00 in Moscow, as the epoch", () => {
    expect(readDatetime("1970-01-01 03:00:00")).toBe(0);
    expect(readDatetime("1970-01-01 02:59:59")).toBeUndefined();
  });

  it("takes a year below 100 as written, and not as a year of the twentieth century", () => {
    expect(readDatetime("0080-01-01 12:00:00")).toBeUndefined();
    expect(readDatetime("0099-12-31 12:00")).toBeUndefined();
  });
});
