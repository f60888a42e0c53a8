import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/kernel/log.ts";
import type { Value } from "../../../src/tools/sandbox/values/stored.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, shopReferences } from "../../support/sandbox-shop.ts";

/** Half of a character. JSON can write it, but UTF-8 cannot. */
const HALF = "\ud800";

describe("what cannot be written as it is", () => {
  let sandbox: TestSandbox;
  let errors: string[];
  beforeEach(async () => {
    errors = [];
    const log = { ...silentLog, error: (_values: object, words: string) => void errors.push(words) };
    sandbox = await testSandbox({ log });
  });
  afterEach(() => sandbox.close());

  it("is a replacement in the name of a file that holds half of a character", async () => {
    const { href } = await openShift(sandbox, await shopReferences(sandbox));
    const content = Buffer.from("текст").toString("base64");
    const added = await sandbox.call("POST", `${href}/files`, JSON.stringify({ filename: `чек${HALF}.txt`, content }));
    expect(added.at(0, "filename")).toBe(`чек${HALF}.txt`);
    const link = await sandbox.call("GET", String(added.at(0, "meta", "downloadHref")));
    const file = await fetch(String(link.headers.get("location")));
    expect([file.status, await file.text()]).toEqual([200, "текст"]);
    expect(file.headers.get("content-disposition")).toBe(`attachment; filename*=UTF-8''${encodeURIComponent("чек\ufffd.txt")}`);
    expect(errors).toEqual([]);
  });

  it("is 500 and 1999 with a line of the log, and the connection stays", async () => {
    let broken = false;
    // No stored value is like this, but a fault of the sandbox could make one.
    const code: Value = {
      get text(): string {
        if (broken) throw new Error("cannot be read");
        return "шт";
      },
    };
    const id = sandbox.account.newId();
    await sandbox.account.commit(() => sandbox.account.put({ type: "uom", id, values: { name: "шт", code } }));
    broken = true;
    const answer = await sandbox.call("GET", `entity/uom/${id}`);
    expect([answer.status, answer.at("errors", 0, "code")]).toEqual([500, 1999]);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(errors).toEqual(["an answer could not be written"]);
    expect((await sandbox.call("GET", "entity/uom?limit=0")).status).toBe(200);
  });
});
