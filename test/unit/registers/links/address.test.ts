import { describe, expect, it } from "vitest";
import { parseSerial, parseTcp, placeOf } from "../../../../src/registers/links/address.ts";

describe("an address over TCP", () => {
  const standard = { port: 7_778 };

  it.each([
    ["//192.168.137.111:7778", "192.168.137.111", 7_778, "//192.168.137.111:7778"],
    ["//Kassa-1.Shop.local", "kassa-1.shop.local", 7_778, "//kassa-1.shop.local:7778"],
    ["//localhost:40001/", "localhost", 40_001, "//127.0.0.1:40001"],
    ["//127.0.0.1:40001", "127.0.0.1", 40_001, "//127.0.0.1:40001"],
    ["//[::1]:40001", "::1", 40_001, "//127.0.0.1:40001"],
    // It stays apart from 127.0.0.1, because another device may be at this address.
    ["//127.0.0.2:40001", "127.0.0.2", 40_001, "//127.0.0.2:40001"],
    ["//[FE80::1]:9", "fe80::1", 9, "//[fe80::1]:9"],
  ])("%s leads to host and port, in one spelling", (text, host, port, place) => {
    const parsed = parseTcp(text, standard);
    expect(parsed).toEqual({ kind: "link", address: { kind: "tcp", host, port } });
    if (parsed.kind === "link") expect(placeOf(parsed.address)).toBe(place);
  });

  it.each(["", "//", "//:7778", "192.168.1.1:7778", "//host:0", "//host:70000", "//host:x", "//ho st", "//[::1", "//user:pw@host:1"])(
    "%j is refused in words",
    (text) => {
      expect(parseTcp(text, standard)).toMatchObject({ kind: "invalid", problem: expect.any(String) });
    },
  );
});

describe("an address over a serial port", () => {
  it.each([
    ["/dev/ttyUSB0", "/dev/ttyUSB0"],
    ["/dev/serial/by-id/usb-SHTRIH-M_1-if00", "/dev/serial/by-id/usb-SHTRIH-M_1-if00"],
    ["com3", "COM3"],
  ])("%s leads to a port", (text, path) => {
    const parsed = parseSerial(text);
    expect(parsed).toEqual({ kind: "link", address: { kind: "serial", path, baud: 115_200 } });
    if (parsed.kind === "link") expect(placeOf(parsed.address)).toBe(path);
  });

  it("has the speed it is given", () => {
    expect(parseSerial("/dev/ttyS0", { baud: 4_800 })).toMatchObject({ address: { baud: 4_800 } });
  });

  it.each(["", "ttyUSB0", "/dev/tty USB0", "COM", "//host"])("%j is refused as a port unless it is a path", (text) => {
    expect(parseSerial(text).kind).toBe(text.startsWith("/") && !text.includes(" ") ? "link" : "invalid");
  });
});
