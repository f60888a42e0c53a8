import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Modules } from "../../../../src/receipts/qr-code/modules.ts";
import { penaltyOf } from "../../../../src/receipts/qr-code/penalty.ts";

describe("the penalty of a symbol", () => {
  it("counts each rule of the standard as a look at every single module does", () => {
    const size = fc.constantFrom(21, 29, 33, 37, 61, 65, 93);
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.constantFrom(2, 3, 4), (side, seed, runs) => {
        const cells = drawn(side, seed, runs);
        expect(penaltyOf(modulesOf(cells))).toBe(plainPenalty(cells));
      }),
      { numRuns: 40, seed: 18004 },
    );
  });

  it("sees runs, squares and finders that lie across the words", () => {
    for (const size of [33, 65]) {
      for (const at of [27, 28, 29, 30, 31].filter((place) => place + 11 <= size)) {
        const cells = blank(size);
        for (const [index, dark] of [1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0].entries()) {
          set(cells, 3, at + index, dark === 1);
          set(cells, at + index, 5, dark === 1);
        }
        set(cells, at, at, true);
        set(cells, at + 1, at, true);
        set(cells, at, at + 1, true);
        set(cells, at + 1, at + 1, true);
        expect(penaltyOf(modulesOf(cells))).toBe(plainPenalty(cells));
      }
    }
  });
});

type Cells = boolean[][];

/** Random rows with runs as long as those of real symbols, and longer. */
function drawn(size: number, seed: number, runs: number): Cells {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) & 0xff;
  };
  let dark = false;
  return blank(size).map((row) =>
    row.map(() => {
      if (next() % runs === 0) dark = !dark;
      return dark;
    }),
  );
}

function blank(size: number): Cells {
  return Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
}

function set(cells: Cells, row: number, column: number, dark: boolean): void {
  const line = cells[row];
  if (line !== undefined) line[column] = dark;
}

function modulesOf(cells: Cells): Modules {
  const modules = new Modules(cells.length);
  for (const [row, line] of cells.entries()) for (const [column, dark] of line.entries()) if (dark) modules.darken(row, column);
  return modules;
}

/** The four rules one after the other, as in ISO/IEC 18004, table 11. The share's twentieths are rounded up. */
function plainPenalty(cells: Cells): number {
  const size = cells.length;
  const columns = cells.map((_, column) => cells.map((row) => row[column] ?? false));
  let points = 0;
  for (const line of [...cells, ...columns].map((modules) => modules.map((dark) => (dark ? "1" : "0")).join(""))) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) points += 3 + run.length - 5;
    for (let at = 0; at < size; at++) {
      const eleven = line.slice(at, at + 11);
      if (eleven === "10111010000" || eleven === "00001011101") points += 40;
    }
  }
  for (let row = 0; row + 1 < size; row++) {
    for (let column = 0; column + 1 < size; column++) {
      const square = [cells[row], cells[row + 1]].flatMap((line) => [line?.[column], line?.[column + 1]]);
      if (new Set(square).size === 1) points += 3;
    }
  }
  const percent = (100 * cells.flat().filter((dark) => dark).length) / size ** 2;
  return points + 10 * Math.abs(Math.ceil(percent / 5) - 10);
}
