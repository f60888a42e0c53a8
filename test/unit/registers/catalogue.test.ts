import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../src/registers/catalogue.ts";

function problemOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed.kind === "invalid" ? parsed.problem : "";
}

describe("addresses of registers", () => {
  it("reads an emulator's address without touching a disk", () => {
    expect(parseAddress("emulator:kassa-1")).toMatchObject({
      kind: "address",
      address: { canonical: "emulator:kassa-1", emulated: true, anyDrive: false },
    });
  });

  it("keeps options out of the canonical address, so that one register has one lane", () => {
    expect(parseAddress("emulator:kassa-1?drive=any")).toMatchObject({ address: { canonical: "emulator:kassa-1", anyDrive: true } });
    expect(parseAddress("emulator:kassa-1?drive=matching")).toMatchObject({ address: { canonical: "emulator:kassa-1", anyDrive: false } });
  });

  it.each(["", "kassa", "atol:usb", "EMULATOR:x", ":x", "__proto__:x"])(
    "refuses the protocol of «%s» with the list of known ones",
    (address) => {
      expect(problemOf(address)).toMatch(/known addresses: emulator:NAME/);
    },
  );

  it("repeats nothing of an unknown address but its protocol: it may hold passwords", () => {
    expect(problemOf("atol://host?password=secret")).not.toContain("secret");
  });

  it("refuses an unknown option with the list of known ones, and a wrong value with the right ones", () => {
    expect(problemOf("emulator:x?baud=9600")).toMatch(/unknown option "baud" .* drive=any\|matching/);
    expect(problemOf("emulator:x?__proto__=1")).toMatch(/unknown option/);
    expect(problemOf("emulator:x?drive=all")).toMatch(/any, matching/);
  });

  it.each([
    "emulator:",
    "emulator:..",
    "emulator:.hidden",
    "emulator:a/b",
    "emulator:a\\b",
    "emulator:a b",
    "emulator:касса",
    "emulator:a.",
    `emulator:${"a".repeat(151)}`,
  ])("refuses «%s», which is no safe name of a folder", (address) => {
    expect(problemOf(address)).toMatch(/emulator:NAME/);
  });

  it("takes names as long as an account and a point of sale need", () => {
    expect(parseAddress(`emulator:${"a".repeat(150)}`).kind).toBe("address");
  });
});
