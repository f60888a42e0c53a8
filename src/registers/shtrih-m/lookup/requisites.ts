import { type RawTlv, readTlvs, readValue } from "../../tags/tlv.ts";

/** The requisites of a document by tag. A text or number is undefined when its requisite is missing or has a different type. */
export class Requisites {
  readonly #all: readonly RawTlv[];

  constructor(all: readonly RawTlv[]) {
    this.#all = all;
  }

  number(tag: number): number | undefined {
    const value = this.#value(tag);
    return typeof value === "number" ? value : undefined;
  }

  /** Returns the text without padding spaces. Undefined also for a text of spaces alone. */
  text(tag: number): string | undefined {
    const value = this.#value(tag);
    const text = typeof value === "string" ? value.trim() : "";
    return text === "" ? undefined : text;
  }

  /** Returns the contents of every requisite with that tag, in order. */
  lists(tag: number): Requisites[] {
    return this.#all.filter((one) => one.tag === tag).map(({ value }) => new Requisites(readTlvs(value) ?? []));
  }

  list(tag: number): Requisites | undefined {
    return this.lists(tag)[0];
  }

  has(tag: number): boolean {
    return this.#all.some((one) => one.tag === tag);
  }

  #value(tag: number): ReturnType<typeof readValue> | undefined {
    const found = this.#all.find((one) => one.tag === tag);
    return found === undefined ? undefined : readValue(found);
  }
}
