import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fieldsOf } from "../../../src/http/docs/fields.ts";
import { openApiDocument } from "../../../src/http/docs/openapi.ts";
import { docsPage } from "../../../src/http/docs/page.ts";
import type { ContractSpec } from "../../../src/http/route.ts";

const tidied = <T extends z.ZodType>(schema: T) => z.preprocess((value) => value ?? undefined, schema);

const sale = z.object({
  nmae: z.string().optional().meta({ deprecated: true }),
  name: z.string().describe("Number of the document <for people>"),
  sum: tidied(z.string().optional().describe("Kopecks")),
  positions: z.array(z.object({ price: z.string().transform((text) => text.length), vat: z.enum(["10", "22"]).nullish() })),
});

const contract: ContractSpec = {
  title: "Fiscalization",
  base: "/fiscal",
  description: "Signed `operations`.",
  endpoints: [
    {
      id: "sale",
      method: "POST",
      path: "/1/sale/:id",
      aliases: ["/1/old/:id"],
      summary: "Sale",
      description: "Registers a sale.",
      headers: [{ name: "X-Signature", description: "Over the body", required: true }],
      body: sale,
      answers: [
        { status: 200, description: "Registered", body: z.object({ fiscalDocNumber: z.string() }) },
        { status: 412, description: "no signature" },
        { status: 412, description: "no shift" },
      ],
    },
  ],
};
const document = openApiDocument({ title: "Test", version: "1.2.3", serverUrl: "https://a.example", contracts: [contract] });

describe("openapi.json", () => {
  const operation = document.paths["/fiscal/1/sale/{id}"]?.post;

  it("has each path of a contract under its base and no alias", () => {
    expect(Object.keys(document.paths)).toEqual(["/fiscal/1/sale/{id}"]);
  });

  it("lists parameters of the path and headers", () => {
    expect(operation?.parameters?.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ["id", "path", true],
      ["X-Signature", "header", true],
    ]);
  });

  it("joins the reasons that share a status", () => {
    expect(operation?.responses["412"]?.description).toBe("no signature; no shift");
  });

  it("shows what may be sent, seeing through steps that only tidy it", () => {
    const schema = operation?.requestBody?.content["application/json"].schema;
    expect(schema?.properties?.sum).toMatchObject({ type: "string", description: "Kopecks" });
    expect(schema?.properties?.positions?.items?.properties?.price).toEqual({ type: "string" });
  });
});

describe("the table of fields", () => {
  it("follows each member with its own members, and leaves out other spellings", () => {
    const schema = document.paths["/fiscal/1/sale/{id}"]?.post?.requestBody?.content["application/json"].schema ?? {};
    expect(fieldsOf(schema).map(({ depth, name, type, required }) => [depth, name, type, required])).toEqual([
      [0, "name", "string", true],
      [0, "sum", "string", false],
      [0, "positions", "list of object", true],
      [1, "price", "string", true],
      [1, "vat", '"10" or "22"', false],
    ]);
  });
});

describe("the page of the documentation", () => {
  const page = docsPage(document, "docs/style.css");

  it("shows each operation with its method, path and answers", () => {
    expect(page).toContain('<span class="method post">POST</span> <code>/fiscal/1/sale/{id}</code>');
    expect(page).toContain("no signature; no shift");
    expect(page).toContain("Signed <code>operations</code>.");
  });

  it("escapes words that look like markup", () => {
    expect(page).toContain("Number of the document &lt;for people&gt;");
    expect(page).not.toContain("<for people>");
  });

  it("needs no script and nothing from another address", () => {
    expect(page).not.toMatch(/<script|https?:\/\/(?!a\.example)/);
  });
});
