import { inflateSync } from "node:zlib";

/** Readers search the end of a file for its end mark (ISO 32000-1, 7.5.5). */
const TAIL_BYTES = 1024;
/** The largest decompressed stream of objects. The objects of a receipt are far smaller. */
const MAX_OBJECTS_BYTES = 4 * 1024 * 1024;
/** Finds a page, but not the page tree `/Pages`. */
const PAGE = /\/Type\s*\/Page(?![A-Za-z])/;

/** Returns why a reader could not open the file, as far as this can be seen without drawing the pages. Undefined: no problem. */
export function problemOfPdf(pdf: Buffer): string | undefined {
  const text = pdf.toString("latin1");
  if (!/^%PDF-\d\.\d/.test(text)) return "it does not begin with %PDF- and a version";
  const tail = text.slice(-TAIL_BYTES);
  if (!tail.includes("%%EOF")) return "it does not end with %%EOF: it is cut off";
  const [, at] = /startxref\s+(\d+)\s+%%EOF/.exec(tail.slice(tail.lastIndexOf("startxref"))) ?? [];
  if (at === undefined) return "there is no startxref before %%EOF";
  const table = text.slice(Number(at), Number(at) + 30);
  if (!/^(xref\b|\d+\s+\d+\s+obj\b)/.test(table)) return `startxref says ${at}, where no table of cross-references begins`;
  return PAGE.test(text) || packedObjects(pdf, text).some((objects) => PAGE.test(objects)) ? undefined : "it has no page";
}

/** Returns where the content of an object's stream begins. Undefined: no stream begins within MAX_ENTRIES_LENGTH characters. */
function streamAfter(text: string, at: number): number | undefined {
  const head = /stream\r?\n/.exec(text.slice(at, at + MAX_ENTRIES_LENGTH));
  return head === null ? undefined : at + head.index + head[0].length;
}

const MAX_ENTRIES_LENGTH = 4_096;

/** Returns the objects in deflated streams, which files of version 1.5 and later may have. Skips an undecodable stream. */
function packedObjects(pdf: Buffer, text: string): string[] {
  return [...text.matchAll(/\/Type\s*\/ObjStm/g)].flatMap(({ index }) => {
    const from = streamAfter(text, index);
    if (from === undefined) return [];
    try {
      return [inflateSync(pdf.subarray(from, text.indexOf("endstream", from)), { maxOutputLength: MAX_OBJECTS_BYTES }).toString("latin1")];
    } catch (error) {
      if (error instanceof Error) return [];
      throw error;
    }
  });
}
