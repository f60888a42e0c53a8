import { describe, expect, it } from "vitest";
import { unzip } from "../../../../../src/tools/sandbox/caller/unzip.ts";

/** Made by Info-ZIP's zip 3.0 (-X): one deflated entry `receipt.pdf` of "%PDF-" and sixty letters a, one stored entry `b` of "b". */
const ZIP = Buffer.from(
  "UEsDBBQAAAAIAAi8e106+CInCgAAAEEAAAALAAAAcmVjZWlwdC5wZGZTDXBx002kAAAAUEsDBAoAAAAAAAi8e135775xAQAAAAEAAAABAAAAYmJQSwECHgMUAAAACAAIvHtdOvgiJwoAAABBAAAACwAAAAAAAAABAAAApIEAAAAAcmVjZWlwdC5wZGZQSwECHgMKAAAAAAAIvHtd+e++cQEAAAABAAAAAQAAAAAAAAABAAAApIEzAAAAYlBLBQYAAAAAAgACAGgAAABTAAAAAAA=",
  "base64",
);

describe("the reader of receipts' zips", () => {
  it("deflated and stored entries of a foreign zip come out whole", () => {
    const read = unzip(ZIP);
    expect(read).toEqual({
      kind: "entries",
      entries: [
        { name: "receipt.pdf", bytes: Buffer.from(`%PDF-${"a".repeat(60)}`) },
        { name: "b", bytes: Buffer.from("b") },
      ],
    });
  });

  it("a flipped bit in the content is found by the checksum", () => {
    const damaged = Buffer.from(ZIP);
    const at = damaged.lastIndexOf("b", damaged.indexOf(Buffer.from("PK\u0001\u0002", "latin1")) - 1);
    damaged[at] = "c".charCodeAt(0);
    expect(unzip(damaged)).toEqual({ kind: "broken", problem: "checksum differs" });
  });

  it("every cut of the zip is called broken and none throws", () => {
    for (let length = 0; length < ZIP.length; length += 1) expect(unzip(ZIP.subarray(0, length)).kind).toBe("broken");
  });
});
