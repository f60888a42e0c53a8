import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../../../src/kernel/clock.ts";
import type { TakenRows } from "../../../../../src/web/console/export/note.ts";
import { CUT, sendCsv } from "../../../../../src/web/console/export/send.ts";

/** Sends pieces of this many rows. Returns what was noted, each time with the number of rows that had been written by then. */
async function sent(pieces: () => AsyncIterable<number | typeof CUT>, note = async () => {}, wrote: (rows: number) => void = () => {}) {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  let written = 0;
  let last = "";
  response.write = (text: string) => {
    const rows = text.split("\r\n").length - 1;
    wrote(rows);
    written += rows;
    last = text;
    return true;
  };
  const noted: (TakenRows & { written: number })[] = [];
  const rows = async function* () {
    for await (const count of pieces()) yield count === CUT ? CUT : Array.from({ length: count }, () => ["x"]);
  };
  const file = {
    name: "operations",
    head: ["id"],
    pieces: rows(),
    cutWords: "choose less",
    note: async (taken: TakenRows) => {
      await note();
      noted.push({ ...taken, written });
    },
  };
  const failed = await sendCsv(request, response, file).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { noted, failed, written, last, isEnded: response.writableEnded, response };
}

async function* counts<Count>(...all: Count[]): AsyncIterable<Count> {
  for (const count of all) yield count;
}

describe("a file that is sent", () => {
  it("is noted before its first byte, and only then when it has one piece", async () => {
    expect((await sent(() => counts(3))).noted).toEqual([{ rows: 3, end: "whole", written: 0 }]);
    expect((await sent(() => counts())).noted).toEqual([{ rows: 0, end: "whole", written: 0 }]);
  });

  it("is noted again with all its rows when it had several pieces", async () => {
    const { noted, isEnded } = await sent(() => counts(1000, 1000, 5));
    expect([noted, isEnded]).toEqual([
      [
        { rows: 1000, end: "more", written: 0 },
        { rows: 2005, end: "whole", written: 2006 },
      ],
      true,
    ]);
  });

  it.each([
    [[3, CUT], 3, 3],
    [[1000, 5, CUT], 1000, 1005],
    [[CUT], 0, 0],
  ] as const)("of %j says in its last row and in its record that rows are missing", async (pieces, first, all) => {
    const { noted, last, isEnded } = await sent(() => counts<number | typeof CUT>(...pieces));
    const records = [
      { rows: first, end: "more", written: 0 },
      { rows: all, end: "cut", written: all + 2 },
    ];
    expect([noted, last, isEnded]).toEqual([records, "choose less\r\n", true]);
  });

  it("is noted with the rows that were sent when the rest cannot be read", async () => {
    const { noted, failed, isEnded } = await sent(async function* () {
      yield* [1000, 1000];
      throw new Error("the database is gone");
    });
    expect([noted.at(-1), failed, isEnded]).toEqual([{ rows: 2000, end: "broken off", written: 2001 }, "the database is gone", false]);
  });

  it("leaves the event loop to others after every 50 rows", async () => {
    let turn = 0;
    const written: { rows: number; turn: number }[] = [];
    const file = sent(
      () => counts(1000, 230),
      undefined,
      (rows) => void written.push({ rows, turn }),
    );
    const done = file.then(() => true);
    while ((await Promise.race([done, nextTurn()])) === undefined) turn += 1;
    expect(written.reduce((sum, { rows }) => sum + rows, 0)).toBe(1231);
    expect(written.filter(({ rows }) => rows > 50)).toEqual([]);
    const writesOf = Map.groupBy(written, (one) => one.turn);
    const busiest = Math.max(...Array.from(writesOf.values(), (writes) => writes.length));
    // The head and the first rows go together.
    expect(busiest).toBeLessThanOrEqual(2);
  });

  it("is not sent when it cannot be noted", async () => {
    const { written, failed, response } = await sent(
      () => counts(3),
      async () => {
        throw new Error("no room left");
      },
    );
    expect([written, failed, response.headersSent]).toEqual([0, "no room left", false]);
  });
});
