import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { errorText } from "../../../../../src/tools/sandbox/call/errors.ts";

const SANDBOX = fileURLToPath(new URL("../../../../../src/tools/sandbox/", import.meta.url));
const TESTS = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * Codes of the reference's table (json-api 10.3) that the sandbox never answers: rights of employees that are narrower than the
 * administrator's (1016 1061 1064 1092 13003), a company's closed periods (17009) and scenarios (14012), plans beyond webhooks and points
 * of sale (1070 47000), storage (1081 14008 51006), service interruptions and long writes (1074 1088), overtaking writes (1065), parameters
 * that exclude each other in other ways than 63000 (1069), other codes of a fault that has a code here (1009 is 1011 or 1026 here, 1078 is
 * 51004, 1085 is 55005, 3009 and 3023 are 3000, 3041 is 3028, 4000 is 1068), codes of protective equipment that the reference does not list
 * (16009), resources of solutions only (55006), and the register's own closing of shifts (12002–12006 12011).
 */
const WITHOUT_OCCASION =
  "1009 1016 1061 1064 1065 1069 1070 1074 1078 1081 1085 1088 1092 3009 3023 3041 4000 12002 12003 12004 12005 12006 12011 13003 14008 14012 16009 17009 47000 51006 55006";

/** Returns the codes of the rows in `call/errors.ts`. */
function codesInTable(): number[] {
  const text = readFileSync(`${SANDBOX}call/errors.ts`, "utf8");
  return [...text.matchAll(/^(\d{4,5}) \d{3} \| /gm)].map(([, code]) => Number(code));
}

/**
 * Returns every number of four or five digits in the code of these folders: each may be an error code. Numbers in texts, in comments and in
 * constants such as `const MAX_ROWS = 1000;` are left out.
 */
function numbersIn(folders: readonly string[], except: readonly string[]): Set<number> {
  const numbers = new Set<number>();
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !except.includes(name))
      .map((name) => folder + name),
  );
  for (const file of files) {
    const code = readFileSync(file, "utf8")
      .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm, "")
      .replace(/"[^"\n]*"/g, '""')
      .replace(/^(?:export )?const [A-Z][A-Z0-9_]* = [\d_ *]+;/gm, "");
    for (const [found] of code.matchAll(/(?<![\w.])\d{4,5}(?![\w.])/g)) numbers.add(Number(found));
  }
  return numbers;
}

describe("the table of error codes", () => {
  it("has no code that nothing in the sandbox answers", () => {
    const thrown = numbersIn([SANDBOX], ["call/errors.ts"]);
    expect(codesInTable().filter((code) => !thrown.has(code))).toEqual([]);
  });

  it("has no code that no test of the sandbox meets", () => {
    const met = numbersIn(
      ["contract/sandbox/", "unit/tools/sandbox/"].map((folder) => `${TESTS}${folder}`),
      ["call/error-codes.test.ts", "call/errors.test.ts"],
    );
    expect(codesInTable().filter((code) => !met.has(code))).toEqual([]);
  });

  it("has every code once, and none of those that there is no occasion for", () => {
    const codes = codesInTable();
    expect(codes.length).toBeGreaterThan(150);
    expect(codes).toEqual([...new Set(codes)]);
    expect(
      WITHOUT_OCCASION.split(" ")
        .map(Number)
        .filter((code) => codes.includes(code)),
    ).toEqual([]);
  });

  it("says at once when a code is not in it: that is a fault of ours", () => {
    expect(() => errorText(1016)).toThrow("error code 1016 is not in the table");
  });
});
