import { readSync } from "node:fs";
import { ahead, type Mark, sameMark } from "../changes.ts";
import { markInRow } from "./sqlite-format.ts";

/** The number of pages that are remembered. Each VACUUM may move the three pages with marks. */
const MOST_PAGES = 9;

/** The pages after the first page that have marks (sqlite-inner-mark.ts), read from the file directly. */
export class MarkedPages {
  readonly #database: number;
  readonly #present: () => readonly number[];
  #pages: readonly number[];

  /** `present`: the present numbers of the pages, according to SQLite. In the file the marks may still be in pages with earlier numbers. */
  constructor(database: number, present: () => readonly number[]) {
    this.#database = database;
    this.#present = present;
    this.#pages = present();
  }

  /** Whether the newest of the marks is this mark, and all of `others` are there too. */
  have(newest: Mark, others: readonly Mark[], pageSize: number): boolean {
    return fits(this.#marksOn(this.#pages, pageSize), newest, others);
  }

  /** As `have`, after the pages were moved: asks SQLite, then searches all pages of the file up to `bytes`. */
  haveMoved(newest: Mark, others: readonly Mark[], { pageSize, bytes }: { pageSize: number; bytes: number }): boolean {
    this.#pages = [...new Set([...this.#present(), ...this.#pages])].slice(0, MOST_PAGES);
    if (this.have(newest, others, pageSize)) return true;
    const numbers = Array.from({ length: Math.floor(bytes / pageSize) }, (_, at) => at + 1);
    const isWanted = (mark: Mark | undefined) => mark !== undefined && [newest, ...others].some((one) => sameMark(one, mark));
    const found = numbers.filter((number) => isWanted(this.#markOn(number, pageSize)));
    if (!fits(this.#marksOn(found, pageSize), newest, others)) return false;
    this.#pages = [...new Set([...found, ...this.#present()])].slice(0, MOST_PAGES);
    return true;
  }

  #marksOn(numbers: readonly number[], pageSize: number): Mark[] {
    return numbers.flatMap((number) => this.#markOn(number, pageSize) ?? []);
  }

  #markOn(number: number, pageSize: number): Mark | undefined {
    const page = Buffer.allocUnsafe(pageSize);
    return readSync(this.#database, page, 0, pageSize, (number - 1) * pageSize) === pageSize ? markInRow(page) : undefined;
  }
}

function fits(marks: readonly Mark[], newest: Mark, others: readonly Mark[]): boolean {
  const isThere = (one: Mark) => marks.some((mark) => sameMark(mark, one));
  return marks.every((mark) => ahead(mark, newest) <= 0) && isThere(newest) && others.every(isThere);
}
