import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { makeAuthority, makeCertificate } from "../../../../../../src/tools/sandbox/api/listening/certificate.ts";
import { VirtualClock } from "../../../../../support/virtual-clock.ts";

it("a certificate of the sandbox is signed by its authority, for this machine and the public address", async () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 5, 9));
  const { cert, ca } = await makeCertificate(clock, await makeAuthority(clock), ["api.example.org", "203.0.113.7"]);
  const [leaf, authority] = [new X509Certificate(cert), new X509Certificate(ca)];
  expect(leaf.verify(authority.publicKey)).toBe(true);
  expect([leaf.ca, authority.ca]).toEqual([false, true]);
  expect(["localhost", "api.example.org", "example.org"].map((host) => leaf.checkHost(host) !== undefined)).toEqual([true, true, false]);
  expect(["127.0.0.1", "203.0.113.7", "203.0.113.8"].map((ip) => leaf.checkIP(ip) !== undefined)).toEqual([true, true, false]);
  expect(Date.parse(leaf.validFrom)).toBeLessThan(clock.nowMs());
  expect(leaf.serialNumber).not.toBe(authority.serialNumber);
});
