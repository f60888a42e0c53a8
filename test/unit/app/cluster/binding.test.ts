import { expect, it } from "vitest";
import { bindingOf } from "../../../../src/app/cluster/binding.ts";

it.each([
  ["http://127.0.0.1:9000", "127.0.0.1"],
  ["http://localhost:9000", "127.0.0.1"],
  ["http://[::1]:9000", "::1"],
  ["http://server-1.example:9000", "0.0.0.0"],
  ["http://192.0.2.1:9000", "0.0.0.0"],
  ["http://[2001:db8::1]:9000", "::"],
])("a process with the address %s listens on %s, which this address leads to", (url, host) => {
  expect(bindingOf(url)).toBe(host);
});
