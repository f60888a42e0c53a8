import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UsageError } from "../../../src/cli/command.ts";
import { receiptCommand } from "../../../src/cli/receipt.ts";
import { readPdf } from "../../support/pdf.ts";
import { saleExample } from "../../support/receipts.ts";

describe("the receipt command", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "receipt-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const run = async (content: string, ...args: string[]) => {
    const lines: string[] = [];
    const io = { out: (text: string) => lines.push(text), err: (text: string) => lines.push(text), signal: new AbortController().signal };
    const file = join(folder, "stored.json");
    const output = join(folder, "out.pdf");
    await writeFile(file, content);
    const named = args.includes("-o") ? [] : ["-o", output];
    const code = await receiptCommand.run([file, ...named, ...args], io);
    return { code, lines, output };
  };

  it("draws what was stored, as a copy and on other paper when asked", async () => {
    const { code, output } = await run(JSON.stringify({ ...saleExample(), paper: "80" }), "--copy", "--paper", "58");
    expect(code).toBe(0);
    const [page] = await readPdf(await readFile(output), { dpi: 20 });
    expect(page?.widthPt).toBeCloseTo(164.41, 5);
    expect(page?.lines).toContain("КОПИЯ");
  });

  it("leaves a receipt, which may name its buyer, to its owner alone", async () => {
    const readable = join(folder, "out.pdf");
    for (const makeReadable of [() => rm(readable, { force: true }), () => chmod(readable, 0o644)]) {
      await makeReadable();
      const { output } = await run(JSON.stringify({ ...saleExample(), paper: "80" }));
      expect((await stat(output)).mode & 0o777).toBe(0o600);
    }
  });

  it("takes no rights at a folder that was named instead of a file", async () => {
    const output = await mkdtemp(join(folder, "named-"));
    await chmod(output, 0o777);
    const { code, lines } = await run(JSON.stringify({ ...saleExample(), paper: "80" }), "-o", output);
    expect([code, lines]).toEqual([1, [expect.stringContaining("EISDIR")]]);
    expect((await stat(output)).mode & 0o777).toBe(0o777);
  });

  it("ends with one clear line for a file that is no stored receipt", async () => {
    for (const [content, words] of [
      ["{", /stored\.json: not JSON: /],
      ["{}", /stored\.json: document: /],
      [JSON.stringify({ ...saleExample(), paper: "70" }), /stored\.json: paper: /],
    ] as const) {
      const { code, lines } = await run(content);
      expect(code).toBe(1);
      expect(lines).toEqual([expect.stringMatching(words)]);
    }
  });

  it("refuses arguments that it does not know", async () => {
    await expect(run("{}", "--paper", "70")).rejects.toThrow(UsageError);
    await expect(run("{}", "--colour")).rejects.toThrow(UsageError);
  });
});
