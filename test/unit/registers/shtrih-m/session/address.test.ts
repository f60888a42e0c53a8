import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../../../src/registers/catalogue.ts";
import { parseShtrih } from "../../../../../src/registers/shtrih-m/session/address.ts";

function problemOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed.kind === "invalid" ? parsed.problem : "";
}

describe("addresses of Shtrih-M registers", () => {
  it("lead over TCP or a serial port, with the maker's own port, speed and passwords where nothing is said", () => {
    expect(parseShtrih("shtrih-m+tcp://192.168.137.111")).toEqual({
      kind: "address",
      address: {
        canonical: "shtrih-m+tcp://192.168.137.111:7778",
        link: { kind: "tcp", host: "192.168.137.111", port: 7_778 },
        passwords: { operator: 1, system: 30 },
        protocol: "auto",
        acknowledgeMs: 3_000,
        print: "paper",
        anyDrive: false,
      },
    });
    expect(parseShtrih("shtrih-m+serial:/dev/ttyUSB0")).toMatchObject({
      address: { canonical: "shtrih-m+serial:/dev/ttyUSB0", link: { kind: "serial", path: "/dev/ttyUSB0", baud: 115_200 } },
    });
  });

  it("take options, none of which changes the lane or shows in it", () => {
    const options = "operatorPassword=7&systemPassword=31415926&timeoutMs=500&print=none&drive=any&protocol=2.0";
    expect(parseShtrih(`shtrih-m+serial:/dev/ttyACM1?baud=4800&${options}`)).toEqual({
      kind: "address",
      address: {
        canonical: "shtrih-m+serial:/dev/ttyACM1",
        link: { kind: "serial", path: "/dev/ttyACM1", baud: 4_800 },
        passwords: { operator: 7, system: 31_415_926 },
        protocol: "2.0",
        acknowledgeMs: 500,
        print: "none",
        anyDrive: true,
      },
    });
  });

  it("give one register one lane whatever its spelling", () => {
    const spellings = ["shtrih-m+tcp://KASSA.local:7778", "shtrih-m+tcp://kassa.local", "shtrih-m+tcp://kassa.local:7778/?drive=any"];
    const canonical = spellings
      .map((spelling) => parseAddress(spelling))
      .map((parsed) => parsed.kind === "address" && parsed.address.canonical);
    expect(new Set(canonical)).toEqual(new Set(["shtrih-m+tcp://kassa.local:7778"]));
  });

  it.each([
    ["shtrih-m+tcp://", /HOST:PORT/],
    ["shtrih-m+tcp://kassa:0", /port 0/],
    ["shtrih-m+tcp://kassa:99999", /port 99999/],
    ["shtrih-m+serial:ttyUSB0", /serial port/],
    ["shtrih-m+serial:/dev/ttyUSB0?baud=12345", /one of 2400, 4800/],
    ["shtrih-m+tcp://kassa?baud=9600", /unknown option "baud" .*timeoutMs=100\.\.60000/],
    ["shtrih-m+tcp://kassa?timeoutMs=5", /whole number from 100 to 60000/],
    ["shtrih-m+tcp://kassa?operatorPassword=geheim", /whole number from 0 to 4294967295/],
    ["shtrih-m+tcp://kassa?protocol=3.0", /one of auto, 1\.0, 2\.0/],
    ["shtrih-m+usb:1", /known addresses: .*shtrih-m\+tcp:\/\/HOST:PORT/],
  ])("are refused when they are wrong: %s", (address, problem) => {
    expect(problemOf(address)).toMatch(problem);
  });

  it("never repeat a password that was mistyped", () => {
    expect(problemOf("shtrih-m+tcp://kassa?systemPassword=secret")).not.toContain("secret");
  });
});
