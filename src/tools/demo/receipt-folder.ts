import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../kernel/folder.ts";

const OURS = /^\d{2,}-[a-z0-9-]+\.pdf$/;

/** Everybody may read these receipts, because the shop does not exist. */
const FOR_EVERYBODY = 0o777;

/** The folder for the receipts of a run. Deletes receipts of an earlier run. */
export class ReceiptFolder {
  readonly path: string;
  #count = 0;

  constructor(path: string) {
    this.path = path;
    makeFolder(path, FOR_EVERYBODY);
    for (const name of readdirSync(path)) {
      if (OURS.test(name)) rmSync(join(path, name));
    }
  }

  get count(): number {
    return this.#count;
  }

  write(number: number, title: string, pdf: Buffer): void {
    const name = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    writeFileSync(join(this.path, `${String(number).padStart(2, "0")}-${name}.pdf`), pdf);
    this.#count += 1;
  }
}
