import { describe, expect, it } from "vitest";
import { listeningAddress } from "../../../../src/tools/demo/processes/server-process.ts";
import { tableHead, tableRow } from "../../../../src/tools/demo/report.ts";

const SALE = { number: 4, title: "sale, cash", documentNumber: "3", sign: "1204745171", sumKopecks: 33960, elapsedMs: 31.4 };
const SLIP = { number: 12, title: "cash in", documentNumber: "0", sign: "0", sumKopecks: 200000, elapsedMs: 8 };

describe("what the demo prints", () => {
  it("columns of the table line up and the zeros of a cash slip are left out", () => {
    expect([...tableHead(), tableRow(SALE), tableRow(SLIP)]).toEqual([
      " #  operation                        ФД          ФП         sum     ms",
      "----------------------------------------------------------------------",
      " 4  sale, cash                        3  1204745171      339.60     31",
      "12  cash in                                             2000.00      8",
    ]);
  });

  it("a row ends with what else is to be said, in one line", () => {
    const line = " 4  sale, cash                        3  1204745171      339.60     31  the same\\u000aanswer";
    expect(tableRow({ ...SALE, note: "the same\nanswer" })).toBe(line);
  });

  it("the address is found among other lines of the log and not in half a line", () => {
    const line = '{"level":30,"time":1,"address":"http://127.0.0.1:4711","msg":"listening"}';
    expect(listeningAddress(`{"msg":"starting"}\n${line}\n`)).toBe("http://127.0.0.1:4711");
    expect(listeningAddress(line.slice(0, -5))).toBeUndefined();
    expect(listeningAddress('{"msg":"listening"}')).toBeUndefined();
  });
});
