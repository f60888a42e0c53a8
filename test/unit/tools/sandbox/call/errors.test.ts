import { describe, expect, it } from "vitest";
import { errorText } from "../../../../../src/tools/sandbox/call/errors.ts";

/** The rows of the reference's table of codes (json-api 10.3): the status and its codes. A pair is a range of codes. */
const ROWS: [status: number, codes: (number | [number, number])[]][] = [
  [404, [1000, 1002, 1020, 1021]],
  [412, [1005, 1007, 1014, 1030, 1034, 1035, 1041, 1024, 1025, 1029, 1031, 1040, 1084, 1091, 1042, 1063, 1096, 1046, 1047, 1057]],
  [400, [1006, 1012, 1027, 1052, 1058, 1059, 1060, 1062]],
  [405, [1010, 1011, 1026, 1039]],
  [403, [1017, 1018, 1045, 1075]],
  [409, [1023, 1028]],
  [415, [1037]],
  [413, [1044, 2007, 2022]],
  [429, [1048, 1049, 1073]],
  [401, [1056]],
  [412, [1066, 1068, 1076, 1077, 1079, 1080, 1082, 1089]],
  [503, [1095]],
  [500, [1999]],
  [400, [[2000, 2006], [2008, 2016], 2024, 2026, 2027, 2029]],
  [412, [[3000, 3008], 3011, [3012, 3016], 3027, 3028, 3030, 3040, 3042, 3043, 3048, [4001, 4004], 10000, 10001, [11000, 11002]]],
  [412, [12000, 12001, 12026, [13000, 13002], 13005, [14000, 14007], 14009, 14011, 15000, 15001, 15002, 15004]],
  [403, [13004, 14010, 14013, 30004, 30006]],
  [
    412,
    [
      16000,
      16001,
      16002,
      16008,
      [16010, 16015],
      16103,
      16105,
      16106,
      16113,
      17000,
      17001,
      17003,
      17007,
      17008,
      17018,
      17020,
      17021,
      17103,
      18000,
      [18005, 18007],
    ],
  ],
  [
    412,
    [[19000, 19005], 28000, [29000, 29003], [30000, 30003], 30005, [30007, 30010], 43001, 43002, [51001, 51005], 51007, [61000, 61007]],
  ],
  [412, [60001, 63000, 63001, 72000]],
];

function codesOf(codes: (number | [number, number])[]): number[] {
  return codes.flatMap((code) =>
    typeof code === "number" ? [code] : Array.from({ length: code[1] - code[0] + 1 }, (_, at) => code[0] + at),
  );
}

describe("codes of errors", () => {
  it.each(ROWS)("status %i is the table's for its codes", (status, codes) => {
    expect(codesOf(codes).map((code) => [code, errorText(code).status])).toEqual(codesOf(codes).map((code) => [code, status]));
  });

  it("have words in both languages", () => {
    for (const [, codes] of ROWS) {
      for (const code of codesOf(codes))
        expect(
          [errorText(code).ru, errorText(code).en].map((text) => text.length > 3),
          String(code),
        ).toEqual([true, true]);
    }
  });
});
