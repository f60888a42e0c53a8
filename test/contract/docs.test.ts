import express from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { eventsSpec } from "../../src/contracts/events/routes.ts";
import { fiscalSpec } from "../../src/contracts/fiscal/routes.ts";
import { HOOKS_SPEC } from "../../src/contracts/hooks/routes.ts";
import { QR_SPEC } from "../../src/contracts/qrpay/routes.ts";
import { vendorSpec } from "../../src/contracts/vendor/routes.ts";
import { openApiDocument } from "../../src/http/docs/openapi.ts";
import { docsRouter } from "../../src/http/docs/routes.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";

const contracts = [
  vendorSpec(PLATFORM_PROFILES.canonical),
  fiscalSpec(PLATFORM_PROFILES.canonical),
  QR_SPEC,
  eventsSpec(PLATFORM_PROFILES.canonical),
  HOOKS_SPEC,
];
const document = openApiDocument({ title: "Fiscal solution", version: "1.0.0", serverUrl: "https://solution.example", contracts });
const site = express().use(docsRouter(document));
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe("the contracts' documentation", () => {
  it("is served as JSON, as a page and with the page's style", async () => {
    const json = await request(site).get("/openapi.json");
    expect([json.headers["content-type"], json.body]).toEqual(["application/json; charset=utf-8", document]);
    const page = await request(site).get("/docs");
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    const [, style = ""] = /rel="stylesheet" href="([^"]+)"/.exec(page.text) ?? [];
    expect((await request(site).get(new URL(style, "http://a/docs").pathname)).headers["content-type"]).toBe("text/css; charset=utf-8");
  });

  it("has every path of every contract, each operation under a name of its own", () => {
    const rows = contracts.flatMap(({ endpoints }) => endpoints);
    expect(operations).toHaveLength(rows.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(rows.length);
  });

  it("says of each body what it is made of", () => {
    const schemas = operations.flatMap(({ requestBody, responses }) => [
      requestBody?.content,
      ...Object.values(responses).map(({ content }) => content),
    ]);
    // The answer to a cancel of a QR payment is an empty object in the contract.
    const empty = document.paths["/qr/payment/cancel"]?.post?.responses["200"]?.content;
    expect(empty?.["application/json"].schema).toMatchObject({ type: "object", properties: {} });
    for (const content of schemas) {
      if (content !== undefined && content !== empty)
        expect(Object.keys(content["application/json"].schema.properties ?? {})).not.toEqual([]);
    }
  });

  it("names what a sale needs", () => {
    const schema = document.paths["/fiscal/1/retaildemand"]?.post?.requestBody?.content["application/json"].schema;
    expect(schema?.required).toEqual(expect.arrayContaining(["meta", "retailShift", "name", "moment", "payments"]));
    expect(Object.keys(schema?.properties?.positions?.items?.properties ?? {})).toEqual(
      expect.arrayContaining(["quantity", "price", "vat", "marks"]),
    );
  });
});
