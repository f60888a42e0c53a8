import { describe, expect, it } from "vitest";
import { examination } from "../../../../../src/registers/examination-schema.ts";
import { type CommandName, nameOf } from "../../../../../src/registers/shtrih-m/commands/commands.ts";
import { FrameParser } from "../../../../../src/registers/shtrih-m/wire/frame.ts";
import { sampleSale } from "../../../../support/register-documents.ts";
import { DAY_MS, HOUR_MS } from "../../../../support/registers.ts";
import { Host, OPEN_SALE } from "../../../../support/shtrih-m-device.ts";
import { ExaminationTrial } from "../../../../support/shtrih-m-examination.ts";

const PROTOCOLS = ["1.0", "2.0"] as const;

/** A second host at the device. */
function host({ trial }: ExaminationTrial): Host {
  const other = new Host(trial.clock);
  void trial.bench.front.serve(other.link);
  return other;
}

describe("an examination", () => {
  it.each(["desktop", "cashcore", "nano"] as const)(
    "tells everything of a healthy %s device, and finds nothing wrong",
    async (personality) => {
      const t = await ExaminationTrial.begin({ personality });
      await t.trial.openShift();
      await t.trial.fiscal(sampleSale());
      await t.trial.later(HOUR_MS);
      await t.trial.register.close();
      const seen = await t.examination();
      expect(examination.parse(seen)).toEqual(seen);
      const { identity } = t.trial.device.look().memory;
      expect(seen).toMatchObject({
        identity: {
          serialNumber: identity.serialNumber,
          registrationNumber: identity.registrationNumber,
          inn: identity.inn,
          seller: identity.sellerName,
          ffd: "1.2",
          taxSystems: identity.taxSystems,
        },
        drive: {
          number: identity.driveNumber,
          kind: "debug",
          phase: "fiscal",
          keyDaysLeft: 1109,
          registrationsLeft: 28,
          documentsLeft: 249_997,
          lastDocument: { number: 3 },
          warnings: [],
        },
        queue: { unsent: 0 },
        clock: { device: "2026-11-13 10:00:00", ours: "2026-11-13 10:00:00", aheadSeconds: 0 },
        paper: { roll: "present", cover: "closed", mechanism: "idle" },
        shift: { state: "open", number: 1, openedAt: "2026-11-13 09:00:00", ageHours: 1, receipts: 1 },
        line: { protocol: "1.0", roundTripMs: 0, repeated: 0, damaged: 0, noise: 0, foreign: 0, reopened: 0 },
        unanswered: [],
      });
      expect(seen.openDocument).toBeUndefined();
      expect(seen.findings.map(({ about }) => about)).toEqual(["drive-debug", "rates"]);
      expect(seen.tables).toContainEqual({
        place: "T17F71",
        what: "22 % in place of 20 %",
        name: "Rus замена НДС 20 на 22",
        value: "1",
        words: "yes: 20 % becomes 22 %",
      });
      const places = seen.tables.map(({ what }) => what).sort();
      expect(places).toHaveLength(15);
      expect(seen.rates).toContainEqual({ label: "НДС 22%", code: 11, sentAs: "CBh" });
      expect(seen.rates).toContainEqual({ label: "НДС 20%", code: 1 });
    },
  );

  it.each(PROTOCOLS)("says that protocol %s was found", async (protocol) => {
    const t = await ExaminationTrial.begin();
    expect((await t.examination({ protocol })).line?.protocol).toBe(protocol);
  });

  it("sends nothing but questions, and leaves the device as it was", async () => {
    const t = await ExaminationTrial.begin();
    await t.trial.openShift();
    const other = host(t);
    await other.all("1E 1E000000 11 0100 07 02", OPEN_SALE);
    const before = t.trial.bench.front.state();
    await t.examination();
    expect(t.trial.bench.front.state()).toEqual(before);
    const questions: CommandName[] = [
      ...(["deviceType", "modelParameters", "shortStatus", "longStatus", "readTable", "tableInfo", "fieldInfo"] as const),
      ...(["driveStatus", "driveValidity", "driveVersion", "shiftParameters", "operatorStatus", "freeMemory", "findDocument"] as const),
    ];
    const sent = new FrameParser().push(t.sent).flatMap((token) => (token.kind === "frame" ? [nameOf(token.data)] : []));
    expect(sent.length).toBeGreaterThan(questions.length);
    expect(new Set(sent)).toEqual(new Set(questions));
  });

  it("says that a document stands open, and leaves it open", async () => {
    const t = await ExaminationTrial.begin();
    await t.trial.openShift();
    await host(t).ask(OPEN_SALE);
    expect(await t.examination()).toMatchObject({ openDocument: "a sale (mode 08h)", mode: { number: "08h" } });
    expect(await t.found()).toEqual(["worth-knowing open-document"]);
    expect(t.trial.bench.front.state().mode).toBe(8);
  });

  it("says that a report was begun in the drive, and leaves it begun", async () => {
    const t = await ExaminationTrial.begin();
    await host(t).ask("FF41 1E000000");
    expect(await t.examination()).toMatchObject({ openDocument: "a report of opening the shift, begun in the drive (02h)" });
    expect(t.trial.bench.front.state().begun).toBe("open-shift");
  });

  it("leaves a document that is being read where it is", async () => {
    const t = await ExaminationTrial.begin();
    const reader = host(t);
    await reader.ask("FF3A 1E000000 01000000");
    expect(await t.found()).toContain("worth-knowing mode");
    expect(await reader.ask("FF3B 1E000000")).toMatch(/^FF 3B 00/);
  });

  it("names a date that waits to be confirmed", async () => {
    const t = await ExaminationTrial.begin();
    await host(t).ask("22 1E000000 0D0B1A");
    expect(await t.found()).toEqual(["stops-now mode", "worth-knowing unanswered"]);
  });

  it("names passwords that are not the device's", async () => {
    const t = await ExaminationTrial.begin();
    expect(await t.found({ passwords: { operator: 99, system: 30 } })).toEqual(["stops-now password-operator"]);
    expect(await t.found({ passwords: { operator: 1, system: 99 } })).toEqual(["stops-now password-system"]);
  });

  it("names settings that will stop the register or surprise somebody", async () => {
    const t = await ExaminationTrial.begin();
    // T21F2 = 0, T19F1 empty, T17F3 = 0, T17F7 = 2, T17F8 = 30, T1F14 = 3, T6R1F1 = 22.00 %
    await host(t).all(
      ...[
        "1E 1E000000 15 0100 02 00",
        `1E 1E000000 13 0100 01 ${"00".repeat(64)}`,
        "1E 1E000000 11 0100 03 00",
        "1E 1E000000 11 0100 07 02",
      ],
      ...["1E 1E000000 11 0100 08 1E", "1E 1E000000 01 0100 0E 03", "1E 1E000000 06 0100 01 9808"],
    );
    expect(await t.found()).toEqual([
      ...["stops-soon operator-exchange", "stops-soon operator-server", "stops-soon discounts", "stops-soon tax-row"],
      ...["worth-knowing tax-mode", "worth-knowing printing-off", "worth-knowing early-expiry"],
    ]);
    expect(await t.found({ print: "none" })).not.toContain("worth-knowing printing-off");
  });

  it("names what will stop the register, by its own clock and counters", async () => {
    const t = await ExaminationTrial.begin();
    t.trial.inject({ operatorDelayMs: () => Number.POSITIVE_INFINITY });
    await t.openShift();
    await t.trial.later(21 * HOUR_MS);
    expect(await t.found()).toEqual(["stops-soon shift"]);
    await t.trial.later(10 * DAY_MS);
    expect(await t.found()).toEqual(["stops-now shift", "stops-soon queue"]);
    await t.trial.later(20 * DAY_MS);
    expect(await t.found()).toEqual(["stops-now queue", "stops-now shift"]);
    t.trial.inject({ keyDays: () => 2, memoryUsed: () => 0.995 });
    expect(await t.found()).toEqual(["stops-now queue", "stops-now shift", "stops-soon drive-keys", "stops-soon drive-memory"]);
    await t.trial.later(1_100 * DAY_MS);
    expect(await t.found()).toContain("stops-now drive-keys");
  });

  it("names a clock that is behind the last document", async () => {
    const t = await ExaminationTrial.begin();
    await t.trial.openShift();
    await t.trial.bench.front.setClock("2026-11-12 09:00:00");
    expect(await t.found()).toEqual(["stops-now clock", "stops-now clock-behind"]);
  });
});

/** Faults of the device emulator at a command of an examination, each with the findings. */
const FAULTS: [spec: string, found: string[]][] = [
  ["paper-out@10", ["stops-now paper"]],
  ["shift-expired@10", ["stops-now shift"]],
  ["drive-full@FF01", ["stops-soon drive-memory"]],
  ["drive-full@FF63", ["stops-now drive-memory"]],
  ["clock-jump@11=360000", ["stops-now clock"]],
  ["clock-jump@11=-240000", ["stops-soon clock"]],
  ["busy@10=600000", ["worth-knowing printing"]],
  ["lose-request@FF40", ["worth-knowing line-errors", "worth-knowing line-silent"]],
  ["lose-answer@FF40", ["worth-knowing line-errors", "worth-knowing line-silent"]],
  // These faults look like segments of a network and do no harm.
  ["byte-by-byte#*", []],
  ["glue#*", []],
];

/** Faults of the line with the findings, which differ between the protocols 1.0 and 2.0. */
const LINE_FAULTS: Record<(typeof PROTOCOLS)[number], [spec: string, found: string[]][]> = {
  "1.0": [
    ["silent@FF40=5000", ["worth-knowing line-silent"]],
    ["nak@FF01", ["worth-knowing line-errors"]],
    ["noise#*", ["worth-knowing line-noise"]],
    ["garble-answer@FF01", ["worth-knowing line-errors"]],
    ["garble-answer@1F#*", ["stops-soon line-errors"]],
  ],
  // Without an answer the same frame is sent again after a while (shtrih-protocol 2.3), and the values of the lost answer are
  // missing.
  "2.0": [
    ["noise#*", []],
    ["silent@FF40=5000", ["worth-knowing line-errors", "worth-knowing line-silent"]],
    ["nak@FF01", ["worth-knowing line-errors", "worth-knowing line-silent"]],
    ["garble-answer@FF01", ["worth-knowing line-errors"]],
  ],
};

describe.each(PROTOCOLS)("an examination in protocol %s of a device with a fault", (protocol) => {
  it.each([...FAULTS, ...LINE_FAULTS[protocol]])("names %s", async (spec, expected) => {
    const t = await ExaminationTrial.begin();
    await t.openShift();
    await t.trial.later(HOUR_MS);
    expect(await t.strike(spec).found({ protocol })).toEqual(expected);
  });

  it("counts what had to be repeated", async () => {
    const t = await ExaminationTrial.begin();
    const { line } = await t.strike("lose-answer@FF40", "lose-request@1F#3", "lose-answer@10#2").examination({ protocol });
    expect(line).toMatchObject({ repeated: 3, damaged: 0, reopened: 0 });
    expect(line?.slowestMs).toBeGreaterThan(1_000);
  });

  it("says that the connection was lost and came back", async () => {
    const t = await ExaminationTrial.begin();
    expect(await t.found({ protocol, cutAfter: { received: 200 } })).toContain("stops-soon line-lost");
  });

  it.each(["power-cut-before@FF01", "power-cut-after@FF03", "power-cut-before@FC"])("cannot examine it after %s", async (spec) => {
    const t = await ExaminationTrial.begin();
    expect(await t.strike(spec).examined({ protocol })).toEqual({ kind: "unreachable", reason: expect.any(String) });
  });

  it("goes on when one question is never answered, and says which", async () => {
    const t = await ExaminationTrial.begin();
    const seen = await t.strike("lose-request@FF04#*").examination({ protocol });
    expect(seen.unanswered).toEqual([{ question: "drive version (FF04)", why: expect.any(String) }]);
    expect(seen.drive.kind).toBe("unknown");
    expect(seen.findings.find(({ about }) => about === "unanswered")).toMatchObject({ weight: "worth-knowing" });
  });

  it("says that the server cannot work with a device that does not tell its state", async () => {
    const t = await ExaminationTrial.begin();
    const seen = await t.strike("lose-request@FF01#*").examination({ protocol });
    expect(seen.findings[0]).toMatchObject({ weight: "stops-now", about: "unanswered" });
    expect(seen.findings[0]?.words).toContain("drive status (FF01)");
  });
});
