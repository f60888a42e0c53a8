import { expect, it } from "vitest";
import { networkOf } from "../../../src/http/source.ts";

it.each([
  ["203.0.113.7", "203.0.113.7"],
  // Where a server listens for both families, Node names IPv4 callers so.
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ["1:2:3:4:5::8", "1:2:3:4::/64"],
  ["1::4:5:6:7:192.0.2.1", "1:0:4:5::/64"],
  [undefined, "unknown"],
])("the network of one caller at %s is %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
