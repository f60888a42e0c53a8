import { describe, expect, it } from "vitest";
import { findingsOf } from "../../../src/registers/examination-findings.ts";
import type { Facts, Finding } from "../../../src/registers/examination-schema.ts";

/** A live register without any problem. */
const WELL: Facts = {
  address: "shtrih-m+tcp://10.0.0.7:7778",
  examinedAt: "2026-11-28T07:00:00.000Z",
  identity: { serialNumber: "00106300000017", registrationNumber: "0000000042042817", inn: "9600123459", taxSystems: ["osn"] },
  drive: {
    number: "7380440900000001",
    kind: "live",
    phase: "fiscal",
    warnings: [],
    keysUntil: "2028-01-01 00:00:00",
    documentsLeft: 200_000,
  },
  queue: { unsent: 0 },
  clock: { device: "2026-11-28 10:00:00", ours: "2026-11-28 10:00:00", zone: "Europe/Moscow", zoneKnown: true, aheadSeconds: 0 },
  paper: { roll: "present", cover: "closed", mechanism: "idle" },
  shift: { state: "open", number: 57, openedAt: "2026-11-28 08:00:00", ageHours: 2 },
  tables: [],
  rates: [],
  line: { protocol: "1.0", roundTripMs: 4, slowestMs: 40, questions: 80, repeated: 0, damaged: 0, noise: 0, foreign: 0, reopened: 0 },
  unanswered: [],
};

const found = (changed: Partial<Facts>) => findingsOf({ ...WELL, ...changed }).map(({ weight, about }) => `${weight} ${about}`);
const line = (changed: Partial<NonNullable<Facts["line"]>>) => found({ line: { ...line0(), ...changed } });
const line0 = () =>
  WELL.line ?? { protocol: "1.0", slowestMs: 0, questions: 0, repeated: 0, damaged: 0, noise: 0, foreign: 0, reopened: 0 };
const drive = (changed: Partial<Facts["drive"]>) => found({ drive: { ...WELL.drive, ...changed } });
const paper = (changed: Partial<Facts["paper"]>) => found({ paper: { ...WELL.paper, ...changed } });

describe("what is wrong with a register", () => {
  it("is nothing where all is well", () => {
    expect(found({})).toEqual([]);
  });

  it("is told the heaviest first, what only the protocol knows among it", () => {
    const own: Finding[] = [
      { weight: "worth-knowing", about: "own", words: "Own.", remedy: "Nothing." },
      { weight: "stops-now", about: "own-now", words: "Own.", remedy: "Something." },
    ];
    const facts: Facts = { ...WELL, drive: { ...WELL.drive, documentsLeft: 500 }, paper: { ...WELL.paper, cover: "open" } };
    expect(findingsOf(facts, own).map(({ about }) => about)).toEqual(["cover", "own-now", "drive-memory", "own"]);
  });

  it("is a drive that makes no documents", () => {
    expect(drive({ phase: "ready" })).toEqual(["stops-now drive-phase"]);
    expect(drive({ phase: "closed" })).toEqual(["stops-now drive-phase"]);
    expect(drive({ keysUntil: "2026-11-28 00:00:00" })).toEqual(["stops-now drive-keys"]);
    expect(found({ identity: { ...WELL.identity, inn: undefined } })).toEqual(["stops-now registration"]);
  });

  it("is a drive for tests, and one whose number says otherwise than itself", () => {
    expect(drive({ kind: "debug", number: "9999078900001234" })).toEqual(["worth-knowing drive-debug"]);
    expect(drive({ kind: "debug" })).toEqual(["worth-knowing drive-debug", "worth-knowing drive-number"]);
    expect(drive({ number: "9999078900001234" })).toEqual(["worth-knowing drive-number"]);
    expect(drive({ kind: "unknown" })).toEqual([]);
  });

  it("is a drive at its end, by what is left or by what it warns of itself", () => {
    expect(drive({ keysUntil: "2026-12-05 12:00:00" })).toEqual(["stops-soon drive-keys"]);
    expect(drive({ warnings: ["keys-expire-now", "memory-full"] })).toEqual(["stops-soon drive-keys", "stops-soon drive-memory"]);
  });

  it("is a clock that is off or behind the last document", () => {
    const clock = {
      device: "2026-11-28 09:50:00",
      ours: "2026-11-28 10:00:00",
      zone: "Europe/Moscow",
      zoneKnown: true,
      aheadSeconds: -600,
    };
    expect(found({ clock })).toEqual(["stops-now clock"]);
    expect(drive({ lastDocument: { number: 5, time: "2026-11-28 10:01:00" } })).toEqual(["stops-now clock-behind"]);
    // The drive keeps the time of a document in whole minutes, the clock has seconds. So the same minute is not behind.
    expect(drive({ lastDocument: { number: 5, time: "2026-11-28 10:00:00" } })).toEqual([]);
  });

  it("is a shift of more than a day, and a queue that grows old", () => {
    expect(found({ shift: { state: "expired", ageHours: 30 } })).toEqual(["stops-now shift"]);
    expect(found({ shift: { state: "open", ageHours: 23.2 } })).toEqual(["stops-soon shift"]);
    expect(found({ shift: { state: "closed" } })).toEqual([]);
    expect(found({ queue: { unsent: 3, ageDays: 31 } })).toEqual(["stops-now queue"]);
  });

  it("is paper that is out, half-way or back, an open cover, a printer at work", () => {
    expect(paper({ roll: "out" })).toEqual(["stops-now paper"]);
    expect(paper({ roll: "out", mechanism: "waits-for-paper" })).toEqual(["stops-now paper"]);
    expect(paper({ mechanism: "waits-to-continue" })).toEqual(["worth-knowing paper"]);
    expect(paper({ cover: "open" })).toEqual(["stops-now cover"]);
    expect(paper({ mechanism: "printing" })).toEqual(["worth-knowing printing"]);
  });

  it("is a line that loses, repeats, waits or is shared", () => {
    expect(line({ repeated: 8 })).toEqual(["worth-knowing line-errors"]);
    expect(line({ repeated: 8, damaged: 1 })).toEqual(["stops-soon line-errors"]);
    expect(line({ reopened: 1 })).toEqual(["stops-soon line-lost"]);
    expect(line({ slowestMs: 2_000 })).toEqual(["worth-knowing line-silent"]);
    expect(line({ roundTripMs: 150 })).toEqual(["worth-knowing line-slow"]);
    expect(line({ noise: 3 })).toEqual(["worth-knowing line-noise"]);
    expect(line({ foreign: 1 })).toEqual(["stops-soon line-foreign"]);
  });

  it("tells every finding with something to do", () => {
    const all = findingsOf({
      ...WELL,
      openDocument: "a sale (mode 08h)",
      drive: { ...WELL.drive, phase: "closed", kind: "debug" },
      paper: { roll: "out", cover: "open", mechanism: "printing" },
      line: { ...line0(), repeated: 1, noise: 1, foreign: 1, reopened: 1, slowestMs: 5_000, roundTripMs: 500 },
    });
    expect(all.length).toBeGreaterThan(9);
    for (const { words, remedy } of all) {
      expect(words).toMatch(/^[A-Z].*\.$/);
      expect(remedy).toMatch(/^[A-Z].*\.$/);
    }
  });
});
