import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/kernel/failure.ts";
import { merchantOf, notificationAddress, testBank } from "../../support/bank.ts";
import { temporaryFolder } from "../../support/server-process.ts";

/** A folder with a paid payment and a waiting one. Returns the path of its file. */
async function folder() {
  const data = temporaryFolder();
  const bank = await testBank("tbank", { data });
  const merchant = merchantOf("tbank", bank);
  const { id } = await merchant.create("one");
  await bank.order("POST", `/payments/${id}/pay`);
  await merchant.create("two");
  const { body: rows } = await bank.order("GET", "/payments");
  await bank.close();
  return { data, rows, id, path: join(data, "bank.log") };
}

async function rowsOf(data: string): Promise<unknown> {
  const bank = await testBank("tbank", { data });
  const { body } = await bank.order("GET", "/payments");
  await bank.close();
  return body;
}

describe("the folder of a fake bank", () => {
  it("is read again without its last record where that is unfinished, and goes on", async () => {
    const { data, rows, path } = await folder();
    const whole = statSync(path).size;
    appendFileSync(path, "BNK1\u0007\u0000");
    expect(await rowsOf(data)).toEqual(rows);
    expect(statSync(path).size).toBe(whole);
    // The last record is that the code of the second payment was shown.
    truncateSync(path, whole - 3);
    expect(await rowsOf(data)).toMatchObject([{ status: "CONFIRMED" }, { orderId: "two", status: "NEW" }]);
    const bank = await testBank("tbank", { data });
    await merchantOf("tbank", bank).create("three");
    await bank.close();
    expect(await rowsOf(data)).toHaveLength(3);
  });

  it.each([
    ["in the middle", 200],
    ["at its beginning", 5],
  ])("with a wrong byte %s is refused in words, and nothing is changed", async (_, at) => {
    const { data, path } = await folder();
    const bytes = readFileSync(path);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
    await expect(testBank("tbank", { data })).rejects.toThrow(Failure);
    await expect(testBank("tbank", { data })).rejects.toThrow(/bank\.log is damaged at byte \d+/);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it("keeps a notification that did not arrive, and the next start sends it at its time", async () => {
    const address = await notificationAddress();
    address.answer.status = 500;
    const data = temporaryFolder();
    const first = await testBank("tbank", { data });
    const { id } = await merchantOf("tbank", first, address.url).create("one");
    await first.order("POST", `/payments/${id}/pay`);
    await address.until(1);
    await first.close();
    address.answer.status = 200;
    await testBank("tbank", { data, clockAheadMs: 3_600_000 });
    const [told, again] = await address.until(2);
    expect(again).toEqual(told);
  });
});
