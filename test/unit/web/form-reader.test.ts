import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { storableText } from "../../../src/kernel/json/storable.ts";
import { readForm } from "../../../src/web/form-reader.ts";
import { html } from "../../../src/web/html.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";

const BOUND_MS = 50;
const MIB = 1024 * 1024;

const TEXTS = [
  "",
  "a=1&b=2",
  "a=1&a=2",
  "a",
  "a&b",
  "=",
  "=b",
  "a==b=c",
  "&&a=1&&",
  "a+b=c+d",
  "name=%D0%9F%D0%B5%d1%82%D1%80+%26+%3d",
  "a=%",
  "a=%4",
  "a=%zz%41",
  "%41%3d=1",
  "a=%FF%fe",
  "a=%E2%82",
  "a=Пётр",
  "a=%00b",
  "\ufeffa=\ufeff",
];

describe("a form", () => {
  it.each(TEXTS)("is read as URLSearchParams reads it: %j", async (text) => {
    const fields = Array.from(new URLSearchParams(text), (field) => field.map(storableText) as [string, string]);
    expect([...((await readForm(Buffer.from(text))) ?? [])]).toEqual([...new Map(fields)]);
  });

  it("is read whole when it is longer than a step", async () => {
    const text = new URLSearchParams(
      Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`name ${at}`, `значение ${at} & ${at}`])),
    ).toString();
    expect([...((await readForm(Buffer.from(text))) ?? [])]).toEqual([...new URLSearchParams(text)]);
  });

  it("has at most 20,000 fields and 1.25 MiB of text, or less of characters that a page writes longer", async () => {
    expect((await readForm(Buffer.from("a=&".repeat(20_000))))?.size).toBe(1);
    expect(await readForm(Buffer.from("a=&".repeat(20_001)))).toBeUndefined();
    expect((await readForm(Buffer.from(`a=${"%41".repeat(1.25 * MIB - 1)}`)))?.get("a")).toHaveLength(1.25 * MIB - 1);
    expect(await readForm(Buffer.from(`a=${"%41".repeat(1.25 * MIB)}`))).toBeUndefined();
    expect((await readForm(Buffer.from(`a=${"%22".repeat(200_000)}`)))?.get("a")).toHaveLength(200_000);
    expect(await readForm(Buffer.from(`a=${"%22".repeat(220_000)}`))).toBeUndefined();
  });

  const SHOWN_LONGER = {
    "control characters": "%01",
    "carriage returns": "%0D",
    "deleted characters": "%7F",
    "control characters of two bytes": "%C2%85",
    "marks of the writing direction": "%E2%80%AE",
    "separators of lines": "%E2%80%A8",
    "Arabic marks": "%D8%9C",
    "bytes that are no character": "%FF",
    apostrophes: "%27",
  };
  it.each(Object.entries(SHOWN_LONGER))("of %s is never longer on a page than 1.25 MiB", async (_, unit) => {
    const bytesEach = unit.length / 3;
    const readable = await readForm(Buffer.from(`a=${unit.repeat(100_000)}`));
    expect(readable?.get("a")).toHaveLength(100_000);
    for (const share of [1, 2, 3, 6]) {
      const form = await readForm(Buffer.from(`a=${unit.repeat(Math.floor((1.25 * MIB - 1) / bytesEach / share))}`));
      expect(Buffer.byteLength(html`${form?.get("a")}`.toString())).toBeLessThanOrEqual(1.25 * MIB);
    }
  });

  it("is read only up to a number of fields, when its reader says so", async () => {
    expect([...((await readForm(Buffer.from("a=1&&b=2&a=3&c=4"), 3)) ?? [])]).toEqual([
      ["a", "3"],
      ["b", "2"],
    ]);
    expect((await readForm(Buffer.from("a=&".repeat(20_001)), 64))?.size).toBe(1);
  });

  it("lets other work run after a thousand fields", async () => {
    const fields = Array.from({ length: 15_000 }, (_, at) => at.toString(36));
    let turns = 0;
    let reading = true;
    const read = readForm(Buffer.from(fields.join("&"))).finally(() => {
      reading = false;
    });
    for (; reading; turns += 1) await nextTurn();
    expect((await read)?.size).toBe(15_000);
    expect(turns).toBeGreaterThanOrEqual(15);
  });

  const LONG = {
    fields: "a=&",
    marks: "&",
    blanks: "+",
    "escaped letters": "%D1%89",
    "broken escapes": "%F",
    letters: "щ",
    "signs of equality": "=",
  };
  it.each(Object.entries(LONG))("of 8 MiB of %s lets other work run", async (_, unit) => {
    const bytes = Buffer.from(`a=${unit.repeat((8 * MIB) / Buffer.byteLength(unit))}`);
    const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, TRIES, () => readForm(bytes));
    expect(cpuMs).toBeLessThan(allowedMs);
  });
});
