import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { problemOfPdf } from "../../../../../../src/tools/conformance/rules/fiscal/pdf.ts";
import { pdfOf } from "../../../../../support/double-receipt.ts";
import { readPdf } from "../../../../../support/pdf.ts";

const PDF = pdfOf("a receipt");

/** Returns a PDF of version 1.5: the objects are in a deflated stream, and an object stands in place of the table of cross-references. */
function packed(objects: string): Buffer {
  const stream = deflateSync(objects);
  const head = Buffer.from(`%PDF-1.5\n1 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${stream.length} >>\nstream\n`);
  const body = Buffer.concat([head, stream, Buffer.from("\nendstream\nendobj\n")]);
  return Buffer.concat([body, Buffer.from(`2 0 obj\n<< /Type /XRef >>\nendobj\nstartxref\n${body.length}\n%%EOF\n`)]);
}

describe("whether a receipt can be opened", () => {
  it("is so for a file that another reader opens", async () => {
    expect(problemOfPdf(Buffer.from(PDF))).toBeUndefined();
    expect(await readPdf(Buffer.from(PDF))).toMatchObject([{ lines: ["a receipt"] }]);
  });

  it("is so where the objects are packed", () => {
    expect(problemOfPdf(packed("3 0 << /Type /Page >>"))).toBeUndefined();
    expect(problemOfPdf(packed("3 0 << /Type /Pages >>"))).toBe("it has no page");
  });

  it.each([
    ["no header", PDF.slice(5), /does not begin/],
    ["no end", PDF.slice(0, -20), /cut off/],
    ["no startxref", PDF.replace("startxref", "startxxxx"), /no startxref/],
    ["bytes that were lost in between", PDF.replace("/Courier", ""), /where no table of cross-references begins/],
    ["the tree of pages alone", PDF.replace("/Type /Page ", "/Type /Pag\u0000 "), /no page/],
    ["a header alone", "%PDF-1.4", /cut off/],
  ])("is not so with %s", (_, text, words) => {
    expect(problemOfPdf(Buffer.from(text, "latin1"))).toMatch(words);
  });
});
