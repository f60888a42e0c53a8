import { describe, expect, it } from "vitest";
import { addressOf, partsOf } from "../../../src/registers/address-form.ts";
import { parseAddress, REGISTER_PROTOCOLS } from "../../../src/registers/catalogue.ts";

const FORMS = REGISTER_PROTOCOLS.flatMap(({ forms }) => forms);
const formOf = (scheme: string) => {
  const found = FORMS.find((form) => form.scheme === scheme);
  if (found === undefined) throw new Error(`no form for ${scheme}`);
  return found;
};

describe("the form of a register's address", () => {
  it("exists for every scheme of the catalogue, and for no other", () => {
    expect(FORMS.map(({ scheme }) => scheme).toSorted()).toEqual(REGISTER_PROTOCOLS.flatMap(({ schemes }) => schemes).toSorted());
  });

  it.each([
    ["emulator:till-1", "emulator"],
    ["shtrih-m+tcp://10.0.0.7:7778", "shtrih-m+tcp"],
    ["shtrih-m+tcp://[fe80::1]:7000?timeoutMs=500&print=none", "shtrih-m+tcp"],
    ["shtrih-m+serial:/dev/ttyUSB0?baud=9600", "shtrih-m+serial"],
  ])("gives back the address that it was filled from: %s", (address, scheme) => {
    const parts = partsOf(FORMS, address);
    expect(parts?.scheme).toBe(scheme);
    expect(addressOf(formOf(scheme), parts ?? {})).toBe(address);
    expect(parseAddress(address)).toMatchObject({ kind: "address" });
  });

  it("leaves out what has its standard value, takes a host of IPv6 in brackets, and knows no parts of an unknown scheme", () => {
    expect(addressOf(formOf("shtrih-m+tcp"), { host: "::1", port: "7778", print: "paper", protocol: "auto", timeoutMs: "" })).toBe(
      "shtrih-m+tcp://[::1]:7778",
    );
    expect(partsOf(FORMS, "abacus:7")).toBeUndefined();
  });
});
