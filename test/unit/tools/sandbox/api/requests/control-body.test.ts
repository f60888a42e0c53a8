import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readControlBody } from "../../../../../../src/tools/sandbox/api/requests/control-body.ts";

it("a body at an address of the sandbox itself is refused above the limit that its error names", async () => {
  const bodyOf = (bytes: number) => Readable.from([Buffer.alloc(bytes, 0x20)]) as IncomingMessage;
  const limit = 1024 * 1024;
  expect((await readControlBody(bodyOf(limit)))?.length).toBe(limit);
  await expect(readControlBody(bodyOf(limit + 1))).rejects.toMatchObject({ errors: [{ code: 1044, details: ["1"] }] });
});
