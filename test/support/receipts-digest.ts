import { createHash } from "node:crypto";
import type { Paper } from "../../src/model/paper.ts";
import { createReceiptPrinter } from "../../src/receipts/draw.ts";
import { LAYOUTS } from "../../src/receipts/layouts.ts";
import { everyExample } from "./receipts.ts";

/**
 * One line for each document and paper: its name, and a digest of PDF and zip. This is a program of its own, so that it can run in
 * other time zones and processes.
 */
export async function digests(): Promise<string[]> {
  const printer = createReceiptPrinter();
  const lines: string[] = [];
  for (const [name, example] of Object.entries(everyExample())) {
    for (const paper of Object.keys(LAYOUTS) as Paper[]) {
      const { pdf, zip } = await printer.drawReceipt({ ...example, paper });
      lines.push(`${name} ${paper} ${createHash("sha256").update(pdf).update(zip).digest("hex")}`);
    }
  }
  return lines;
}

if (import.meta.main) process.stdout.write((await digests()).join("\n"));
