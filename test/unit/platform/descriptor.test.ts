import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { validateXML } from "xmllint-wasm";
import { PLATFORM_PROFILES, type PlatformProfileName } from "../../../src/kernel/platform-profile.ts";
import { descriptorXml, OPERATION_TYPES } from "../../../src/platform/descriptor.ts";
import { sample } from "../../support/extent.ts";

const folder = new URL("../../../descriptor/", import.meta.url);
const file = (name: string) => ({ fileName: name, contents: readFileSync(new URL(name, folder), "utf8") });

/** The validator's errors. A valid document has none. */
async function complaints(xml: string, profile: PlatformProfileName = "canonical"): Promise<string[]> {
  const { errors } = await validateXML({
    xml: [{ fileName: "descriptor.xml", contents: xml }],
    schema: [file(`${profile}.xsd`)],
    preload: [file("application.xsd")],
  });
  return errors.map(({ message }) => message);
}

const canonical = descriptorXml({ publicUrl: "https://solution.example", profile: PLATFORM_PROFILES.canonical });
const changed = (from: string | RegExp, to: string) => {
  const xml = canonical.replace(from, to);
  expect(xml).not.toBe(canonical);
  return complaints(xml);
};

describe("descriptor", () => {
  it("is valid under the namespace of each profile", async () => {
    expect(await complaints(canonical)).toEqual([]);
    const production = descriptorXml({ publicUrl: "https://till.shop.ru/base/", profile: PLATFORM_PROFILES.production });
    expect(await complaints(production, "production")).toEqual([]);
    expect(await complaints(production, "canonical")).not.toEqual([]);
  });

  it("stands in descriptor/ as it is printed for the example address", () => {
    expect(file("solution.xml").contents).toBe(canonical);
  });

  it("joins bases without a doubled slash or one at the end", () => {
    const xml = descriptorXml({ publicUrl: "https://till.shop.example/base//", profile: PLATFORM_PROFILES.canonical });
    expect(xml).toContain("<endpointBase>https://till.shop.example/base/vendor</endpointBase>");
    expect(xml).toContain("<endpointBase>https://till.shop.example/base/fiscal</endpointBase>");
  });

  it("names the JSON API of the configured platform as the resource", () => {
    const profile = { ...PLATFORM_PROFILES.canonical, baseUrl: "https://json.example" };
    expect(descriptorXml({ publicUrl: "https://a.example", profile })).toContain("<resource>https://json.example/api/remap/1.2</resource>");
  });

  it("escapes what an address may hold", async () => {
    const xml = descriptorXml({ publicUrl: "https://solution.example/a&b", profile: PLATFORM_PROFILES.canonical });
    expect(xml).toContain("https://solution.example/a&amp;b/vendor");
    expect(await complaints(xml)).toEqual([]);
  });

  it("declares the six operations that are documented and no other", () => {
    expect(OPERATION_TYPES).toHaveLength(6);
    for (const name of ["prepayment", "prepaymentReturn", "advance", "advanceReturn"]) expect(canonical).not.toContain(`<${name}/>`);
  });
});

describe("our schema of a descriptor", () => {
  const blocks = ["vendorApi", "access", "loyaltyApi", "fiscalApi", "qrPayApi"].map((name) => {
    const found = new RegExp(`  <${name}(/>|>[\\s\\S]*?</${name}>)\\n`).exec(canonical);
    return found?.[0] ?? "";
  });

  it("lets blocks stand in any order", async () => {
    expect(blocks).not.toContain("");
    expect(await changed(blocks.join(""), blocks.toReversed().join(""))).toEqual([]);
  });

  const refused: [string, string | RegExp, string][] = [
    [
      "a descriptor of the refused version 1",
      'apps-api.platform.example/xml/ns/appstore/app/v2"',
      'apps-api.platform.example/xml/ns/appstore/app/v1"',
    ],
    ["no vendor block", /<vendorApi>[\s\S]*<\/vendorApi>/, ""],
    ["a block twice", "<fiscalApi>", "<loyaltyApi/><fiscalApi>"],
    ["an address in the loyalty block", "<loyaltyApi/>", "<loyaltyApi><endpointBase>https://a.example</endpointBase></loyaltyApi>"],
    ["text in the loyalty block", "<loyaltyApi/>", "<loyaltyApi>yes</loyaltyApi>"],
    ["a block that does not exist", "<fiscalApi>", "<cashApi/><fiscalApi>"],
    ["an address without https", "https://solution.example/vendor", "http://solution.example/vendor"],
    ["an address with a slash at its end", "https://solution.example/fiscal", "https://solution.example/fiscal/"],
    ["another JSON API version", "/api/remap/1.2", "/api/remap/1.3"],
    ["an unknown scope", "<scope>custom</scope>", "<scope>everything</scope>"],
    ["a right without view", "<employee>\n        <view/>", "<employee>\n        <update/>"],
    ["delete without update", "<employee>\n        <view/>", "<employee>\n        <view/><delete/>"],
    ["own and all webhooks together", "<retailStore>", "<useOwnWebhooks/><useAllWebhooks/><retailStore>"],
    ["an entity that does not exist", "<employee>\n        <view/>\n      </employee>", "<cashbox><view/></cashbox>"],
    ["an unknown operation", "<openShift/>", "<openDrawer/>"],
    ["an operation twice", "<openShift/>", "<openShift/><openShift/>"],
    ["an unknown way to pay", "<cash/>", "<crypto/>"],
    ["content in an empty element", "<openShift/>", "<openShift>yes</openShift>"],
    ["operations after payments", /(<operationTypes>[\s\S]*<\/operationTypes>)(\s*)(<paymentTypes>[\s\S]*<\/paymentTypes>)/, "$3$2$1"],
    ["two main windows", "</iframes>", '<iframe type="main" sourceUrl="https://b.example/"/></iframes>'],
    ["an unknown window", 'type="main"', 'type="side"'],
    ["a window without its address", /\s*sourceUrl="[^"]*"/, ""],
    ["an empty list of QR providers", /<qrPayApi>[\s\S]*<\/qrPayApi>/, "<qrPayApi/>"],
  ];
  it.each(sample(refused, 8))("refuses %s", async (_what, from, to) => {
    expect(await changed(from, to)).not.toEqual([]);
  });

  it("takes the other blocks of the documentation", async () => {
    const others = `
      <widgets><document.retaildemand.edit useContextKey="true"><sourceUrl>https://a.example/w</sourceUrl><height><fixed>150px</fixed></height><supports><open-feedback/><change-handler><validation-feedback/></change-handler></supports></document.retaildemand.edit></widgets>
      <popups><popup><name>pick</name><sourceUrl>https://a.example/p</sourceUrl></popup></popups>
      <buttons><button name="again" title="Again" useSelected="true"><locations><document.retaildemand.list/></locations></button></buttons>
      <scenario><action name="call" title="Call"/></scenario>
      <fiscalApi>`;
    expect(await changed("<fiscalApi>", others)).toEqual([]);
    expect(await changed('type="main"', 'type="main" useContextKey="false"')).toEqual([]);
  });
});
