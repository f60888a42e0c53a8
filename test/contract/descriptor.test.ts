import { describe, expect, it } from "vitest";
import { fiscalSpec } from "../../src/contracts/fiscal/routes.ts";
import { QR_SPEC } from "../../src/contracts/qrpay/routes.ts";
import { vendorSpec } from "../../src/contracts/vendor/routes.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { descriptorXml } from "../../src/platform/descriptor.ts";

/** The platform's path for each operation type (platform-contracts 2.4 and 4.3). */
const CALLS: Record<string, string> = {
  openShift: "PUT /1/openshift",
  retailDemand: "POST /1/retaildemand",
  retailSalesReturn: "POST /1/retaisalesreturn",
  retailDrawerCashIn: "POST /1/retaildrawercashin",
  retailDrawerCashOut: "POST /1/retaildrawercashout",
  closeShift: "PUT /1/closeshift",
};

/** The paths that the platform adds to the vendor base (platform-contracts 1 and 3.3). */
const VENDOR_SUFFIX = { canonical: "/api/platform/vendor/1.0", production: "/api/moysklad/vendor/1.0" };

const names = (xml: string, block: string) => {
  const [, content = ""] = new RegExp(`<${block}>([\\s\\S]*?)</${block}>`).exec(xml) ?? [];
  return [...content.matchAll(/<(\w+)\/>/g)].map(([, name = ""]) => name);
};
const bases = (xml: string) => [...xml.matchAll(/<endpointBase>(.*)<\/endpointBase>/g)].map(([, base]) => base);

describe.each(["canonical", "production"] as const)("the descriptor under the %s profile", (name) => {
  const profile = PLATFORM_PROFILES[name];
  const [vendor, fiscal] = [vendorSpec(profile), fiscalSpec(profile)];
  const xml = descriptorXml({ publicUrl: "https://solution.example", profile });

  it("gives the bases at which the contracts are mounted", () => {
    expect(bases(xml)).toEqual([vendor, fiscal, QR_SPEC].map(({ base }) => `https://solution.example${base}`));
  });

  it("declares exactly the operations whose paths exist", () => {
    const declared = names(xml, "operationTypes").map((type) => CALLS[type]);
    expect(declared.toSorted()).toEqual(fiscal.endpoints.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  it("declares one provider of QR payment, with a code for each operation", () => {
    const [, block = ""] = /<qrPayApi>([\s\S]*)<\/qrPayApi>/.exec(xml) ?? [];
    expect(block.match(/<paymentProvider>/g)).toHaveLength(1);
    expect(block).toMatch(/<name>[^<]+<\/name>\s*<qrType>MERCHANT_GENERATED_DYNAMIC<\/qrType>\s*<endpointBase>/);
  });

  it("unlocks the loyalty settings by an empty block, and reads customers", () => {
    const blocks = [...xml.matchAll(/^ {2}<(\w+)\/?>$/gm)].map(([, block]) => block);
    expect(blocks).toEqual(["iframes", "vendorApi", "access", "loyaltyApi", "fiscalApi", "qrPayApi"]);
    expect(xml).toMatch(/<company>\s*<view\/>\s*<\/company>/);
  });

  it("leads the platform's vendor calls to paths that exist", () => {
    const served = vendor.endpoints.map(({ method, path }) => `${method} ${path}`);
    for (const method of ["PUT", "DELETE", "GET"]) expect(served).toContain(`${method} ${VENDOR_SUFFIX[name]}/apps/:appId/:accountId`);
    expect(served).toContain(`PUT ${VENDOR_SUFFIX[name]}/apps/:appId/:accountId/event`);
  });
});
