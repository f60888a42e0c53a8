import { describe, expect, it } from "vitest";
import { showLines } from "../../../../src/cli/journal/show.ts";
import type { Entry, Move } from "../../../../src/journal/entry.ts";
import type { Known } from "../../../../src/model/known.ts";
import { checkpoint, entryContent, saleDocument, saleFacts } from "../../../support/journal-entries.ts";

const AT_MS = Date.UTC(2026, 2, 2, 3, 15);

function entry(changed: Partial<Entry> = {}): Entry {
  return { ...entryContent(), id: 7, state: "done", attempt: 1, acceptedAtMs: AT_MS, movedAtMs: AT_MS, ...changed };
}

describe("an entry that is shown", () => {
  it("tells whose it is, what was sent line by line, what was made of it and when", () => {
    const moves: Move[] = [
      { entryId: 7, attempt: 1, atMs: AT_MS, to: "sending", by: "caller" },
      { entryId: 7, attempt: 1, atMs: AT_MS + 2_000, from: "sending", to: "done", by: "register" },
    ];
    const lines = showLines(entry({ facts: saleFacts(), checkpoint: checkpoint() }), moves);
    expect(lines.join("\n")).toBe(`\
Entry       7, done, accepted 2026-03-02 03:15:00 (UTC)
Operation   sale 00017, 2026-03-02 10:15:00 at the till
Document    7d2f6a3e-51c4-4c52-9a29-0b6f3ad61d10 (sync), of shift 3d0f9a3b-6d4c-4a8e-b9a4-0a2f5d3c7e81
Account     0d5f8b1e-2f3a-4d8f-8f5a-6a1f7f6f0c11 of 00000000-0000-4000-8000-000000000001
Store       5d1f0c52-8c52-4f1d-9a53-0b6f3ad61d11
Register    emulator:bakery-north-1, paper 80
Known       nothing by the platform's JSON API: the settings decided

Sent as     receipt, ПРИХОД
Cashier     Иванова М.П.
Our id      1f8a2c3d4e5f6071
Address     630099, г. Новосибирск, Красный проспект, д. 1
Place       Пекарня «Северная»
Tax system  ОСН
Total       390.02
Paid        390.02 card
НДС 10%     35.46
Buyer       +70000000000
Sender      check@bakery-north.example

#  NAME                       QUANTITY  PRICE   SUM     VAT      MARK
1  Хлеб «Бородинский»         2 шт      59.90   119.80  НДС 10%
2  Сыр «Российский», весовой  0.356 кг  759.05  270.22  НДС 10%

Made        ФД 42 ФП 2134567890, shift 7, 2026-03-02 10:15:00 on the register's clock, drive 9999078900001234
Register    ЗН EMU-000000000001, РН 0000000001012345, ООО «Пекарня Северная», ИНН 7700000000
Receipt     12 of the shift, total 390.02
Sent after  drive 9999078900001234 ended with document 41, shift 7 was open, the register's clock showed 2026-03-02 10:15:02
What happened (UTC):
  2026-03-02 03:15:00  attempt 1  came in as sending, by caller
  2026-03-02 03:15:02  attempt 1  sending → done, by register
What has to be done: journal explain 7`);
  });

  it("shows goods that are sold by measure with their measure and mark", () => {
    const lines = saleDocument().lines.map((line, at) => (at === 1 ? { ...line, mark: "01046", unit: { code: 11, label: "кг" } } : line));
    expect(showLines(entry({ document: { ...saleDocument(), lines } }), []).join("\n")).toMatch(
      /2 {2}Сыр «Российский», весовой {2}0\.356 кг {2}759\.05 {2}270\.22 {2}НДС 10% {2}01046$/m,
    );
  });

  it("tells what the platform's JSON API added to the request", () => {
    const goods = [{ kind: "excisable" as const, unit: { name: "шт" }, marked: true as const }, null];
    const { operation } = entryContent();
    const shown = (known: Known) => showLines(entry({ operation: { ...operation, known } }), []);
    expect(shown({ taxSystem: "patent", cashier: { lastName: "Соколова", firstName: "Анна" }, goods })).toContain(
      "Known       point of sale taxed Патент, cashier Соколова А., position 1 excisable шт with marks, by the platform's JSON API",
    );
    expect(shown({ goods: [null, {}] })).toContain("Known       position 2 has a card, by the platform's JSON API");
  });

  it("tells why it was refused, or why nobody knows, and what else the document may be", () => {
    const refused = showLines(
      entry({ state: "refused", attempt: 2, refusal: { code: "device-refused", device: { code: "4Fh", words: "касса" } } }),
      [],
    );
    expect(refused).toContain("Refused     device-refused (the register says 4Fh: касса)");
    expect(refused[0]).toBe("Entry       7, refused in attempt 2, accepted 2026-03-02 03:15:00 (UTC)");
    const cash = showLines(
      entry({
        state: "in-doubt",
        doubt: { code: "no-answer" as const, reason: "нет ответа" },
        document: { kind: "cash-in", reference: "r", sumKopecks: 5_000 },
      }),
      [],
    );
    expect(cash).toEqual(expect.arrayContaining(["Sent as     cash-in", "Sum         50.00", "In doubt    нет ответа"]));
    const basis = { kind: "order", settledOn: "2026-02-01", orderNumber: "17" } as const;
    const correction = showLines(entry({ document: { ...saleDocument(), kind: "correction", basis, originalSign: "0000000042" } }), []);
    expect(correction).toEqual(
      expect.arrayContaining([
        "Corrects    what was settled on 2026-02-01, by order 17",
        "Of the ФП   0000000042",
        "Sent as     correction, ПРИХОД",
      ]),
    );
  });
});
