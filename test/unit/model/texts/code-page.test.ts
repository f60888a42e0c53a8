import { expect, it } from "vitest";
import { CP866, CP1251 } from "../../../../src/model/texts/code-page.ts";
import { printable, storable } from "../../../../src/model/texts/printable.ts";
import { sample } from "../../../support/extent.ts";

/** The letters as the tables of both code pages print them (fiscal-receipts 1.2, shtrih-protocol 0.2). */
const LETTERS = "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя";
const COMMON = `${LETTERS}ЁёЄєЇїЎў°·№¤`;
const DRIVE = "∙√■─│┌┐└┘├┤┬┴┼═║╒╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡╢╣╤╥╦╧╨╩╪╫╬▀▄█▌▐░▒▓";

const BEYOND_ASCII = Array.from({ length: 0x1_0000 - 0x80 }, (_, at) => String.fromCharCode(at + 0x80));
/** The characters that the test tries: those that a code page has, and others beyond ASCII, of which the long run tries all. */
const TRIED = [...new Set([...COMMON, ...DRIVE, ...sample(BEYOND_ASCII, 4_000)])];
const keptBy = (spell: (text: string, maxLength: number) => string) =>
  TRIED.filter((unit) => spell(`a${unit}b`, 9) === `a${unit}b`).toSorted();

it("texts keep the signs that both code pages have, and those of a drive all that its own has", () => {
  expect(keptBy(printable)).toEqual([...COMMON].toSorted());
  expect(keptBy(storable)).toEqual([...COMMON, ...DRIVE].toSorted());
});

it("a code page gives back every byte that it has decoded, and spells what it lacks", () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  for (const page of [CP866, CP1251]) expect(page.encode(page.decode(bytes))).toEqual(bytes);
  expect([CP866.encode("№½Ж").toString("hex"), CP1251.encode("№½Ж").toString("hex")]).toEqual(["fc312f3286", "b9312f32c6"]);
});
