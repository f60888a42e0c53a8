import { readSync } from "node:fs";
import { ahead, type Mark, sameMark } from "../changes.ts";
import { markInRow } from "./sqlite-format.ts";

/** The number of pages that are remembered. Each VACUUM may move the three pages with marks. */
const MOST_PAGES = 9;

interface WantedMarks {
  /** The mark of the first page. The newest mark of the later pages must be the same. */
  first: Mark;
  /** The newest mark of the later pages may also be newer. */
  mayBeAhead: boolean;
  /** Further marks that must be there. */
  copied: readonly Mark[];
}

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

  have(wanted: WantedMarks, pageSize: number): boolean {
    return fits(this.#marksOn(this.#pages, pageSize), wanted);
  }

  /** As `have`, after the pages were moved: asks SQLite, then searches all pages of the file up to `bytes`. */
  haveMoved(wanted: WantedMarks, { pageSize, bytes }: { pageSize: number; bytes: number }): boolean {
    this.#pages = [...new Set([...this.#present(), ...this.#pages])].slice(0, MOST_PAGES);
    if (this.have(wanted, pageSize)) return true;
    const numbers = Array.from({ length: Math.floor(bytes / pageSize) }, (_, at) => at + 1);
    const isWanted = (mark: Mark | undefined) => mark !== undefined && [wanted.first, ...wanted.copied].some((one) => sameMark(one, mark));
    const found = numbers.filter((number) => isWanted(this.#markOn(number, pageSize)));
    if (!fits(this.#marksOn(found, pageSize), wanted)) return false;
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

function fits(marks: readonly Mark[], { first, mayBeAhead, copied }: WantedMarks): boolean {
  const isThere = (one: Mark) => marks.some((mark) => sameMark(mark, one));
  if (!copied.every(isThere)) return false;
  const isAhead = marks.some((mark) => ahead(mark, first) > 0);
  return isAhead ? mayBeAhead : isThere(first);
}
