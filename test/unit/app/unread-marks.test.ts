import { describe, expect, it } from "vitest";
import { Metrics } from "../../../src/app/metrics.ts";
import { tellUnreadMarks } from "../../../src/app/unread-marks.ts";
import type { Entry } from "../../../src/journal/entry.ts";
import { type Log, silentLog } from "../../../src/kernel/log.ts";
import { entryContent, saleDocument } from "../../support/journal-entries.ts";

const MARK = "010460000000000821abcde";

function entry(unread: boolean): Entry {
  const lines = saleDocument().lines.map((line) => ({ ...line, mark: MARK, ...(unread ? { unreadMark: "shape" as const } : {}) }));
  return { ...entryContent({ document: { ...saleDocument(), lines } }), id: 7, state: "done", attempt: 1, acceptedAtMs: 0, movedAtMs: 0 };
}

describe("things that were registered under marks that could not be read", () => {
  const sources = { lanes: () => [], stopped: () => [], registers: () => [], journal: async () => ({}) };

  it("are counted, and told of in one line for each receipt, without the marks", async () => {
    const metrics = new Metrics({ version: "1.0.0", sources, ofProcess: false });
    const told: string[] = [];
    const log: Log = { ...silentLog, warn: (values, text) => void told.push(JSON.stringify({ ...values, text })) };
    tellUnreadMarks({ log, metrics }, entry(true));
    tellUnreadMarks({ log, metrics }, entry(true));
    tellUnreadMarks({ log, metrics }, entry(false));
    expect(await metrics.text()).toContain('fiscal_unread_marks_total{operation="sale"} 4');
    expect(told).toHaveLength(2);
    expect(told[0]).toContain('"positions":[{"line":1,"problem":"shape"},{"line":2,"problem":"shape"}]');
    expect(told.join()).not.toContain(MARK);
  });
});
