import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import jsqr from "jsqr";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { formatKopecks } from "../../../src/kernel/money.ts";
import type { Paper } from "../../../src/model/paper.ts";
import { createReceiptPrinter } from "../../../src/receipts/draw.ts";
import { COMPILE_CACHE } from "../../support/compile-cache.ts";
import { sample } from "../../support/extent.ts";
import { difference, goldenPicture, inkSpansMm, readPdf } from "../../support/pdf.ts";
import { everyExample, identity, line, receiptDocument, receiptFacts, returnExample, saleExample } from "../../support/receipts.ts";
import { digests } from "../../support/receipts-digest.ts";

const PAPERS = [
  { paper: "58", widthPt: 164.41, marginMm: 5 },
  { paper: "80", widthPt: 226.77, marginMm: 4 },
] as const;
const ALL_PAPERS: readonly Paper[] = ["58", "80", "a4"];

/** The paper on which `npm test` draws everything. On the others it draws only the first and the last. */
const SHORT_PAPER: Paper = "80";
const SHORT_COUNT = 2;

const printer = createReceiptPrinter();

async function drawSale(names: string[], paper: Paper) {
  const document = receiptDocument({ lines: names.map((name) => line({ name })) });
  return (await printer.drawReceipt({ document, facts: receiptFacts(document), paper })).pdf;
}

describe("a drawn receipt", () => {
  for (const paper of ALL_PAPERS) {
    const examples = Object.entries(everyExample());
    for (const [name, example] of paper === SHORT_PAPER ? examples : sample(examples, SHORT_COUNT)) {
      it(`of ${name} on ${paper} looks like its golden picture`, async () => {
        const dpi = paper === "a4" ? 100 : 203;
        const [page, ...more] = await readPdf((await printer.drawReceipt({ ...example, paper })).pdf, { dpi });
        if (page === undefined) throw new Error("no page");
        const golden = await goldenPicture(new URL(`../../golden/receipts/${name}-${paper}.png`, import.meta.url), page.picture);
        expect(more).toHaveLength(0);
        expect(difference(page.picture, golden)).toBeLessThan(0.003);
      });
    }
  }

  it("keeps a QR code that decodes to the sums when the page is a picture of 203 dpi", async () => {
    for (const paper of ALL_PAPERS) {
      for (const { document, facts } of [saleExample(), returnExample()]) {
        const [page] = await readPdf((await printer.drawReceipt({ document, facts, paper })).pdf);
        const { data, width, height } = page?.picture ?? { data: new Uint8ClampedArray(), width: 0, height: 0 };
        const found = Object.fromEntries(new URLSearchParams(jsqr.default(data, width, height)?.data ?? ""));
        expect(found).toEqual({
          t: document.sign === 1 ? "20261112T1842" : "20261112T1915",
          s: formatKopecks(document.totalKopecks),
          fn: facts.identity.driveNumber,
          i: String(facts.documentNumber),
          fp: facts.fiscalSign,
          n: String(document.sign),
        });
      }
    }
  });

  for (const { paper, widthPt, marginMm } of PAPERS) {
    it(`is exactly as wide as the paper of ${paper} mm and as high as its content`, async () => {
      const [short] = await readPdf(await drawSale(["Хлеб"], paper));
      const [long] = await readPdf(await drawSale(["Хлеб", "Соль"], paper));
      expect(short?.widthPt).toBeCloseTo(widthPt, 5);
      const dpi = 203;
      const end = inkSpansMm(short?.picture ?? NOTHING, "rows", dpi).at(-1)?.endMm ?? 0;
      expect(((short?.heightPt ?? 0) * 25.4) / 72 - end).toBeLessThan(6);
      expect((long?.heightPt ?? 0) - (short?.heightPt ?? 0)).toBeGreaterThan(4 * 12.6);
    });

    it(`leaves the margins of ${paper} mm paper white whatever the names are`, async () => {
      const names = ["Щ".repeat(128), "Семья 👨‍👩‍👧‍👦 и 漢字 и ﷽ ".repeat(6), "слово ".repeat(21), "e\u0301".repeat(64)];
      const dpi = 406;
      const [page] = await readPdf(await drawSale(names, paper), { dpi });
      const columns = inkSpansMm(page?.picture ?? NOTHING, "columns", dpi);
      const pageMm = (widthPt * 25.4) / 72;
      expect(columns.at(0)?.startMm).toBeGreaterThan(marginMm - 0.25);
      expect(columns.at(-1)?.endMm).toBeLessThan(pageMm - marginMm + 0.25);
    });
  }

  // A sheet at 720 dpi is a picture of fifty million points, so `npm test` measures only on the narrow roll.
  for (const paper of sample(["58", "80", "a4"] as const, 1)) {
    it(`keeps the legibility minimums on ${paper}: lower case of 2 mm, half a millimetre between rows`, async () => {
      const dpi = 720;
      // The number of a live drive, because the test line of a debug drive would come first, with its frame. The second
      // row is only lower case.
      const head = identity({ sellerName: "О", address: "хх", place: "рЩ,;уД", driveNumber: "1234567890123456" });
      const document = receiptDocument({ lines: [line({ name: `ЙЁЙ ${"Щр,;уД".repeat(8)} ЙЁЙ ЙЁЙ` })] });
      const facts = receiptFacts(document, { identity: head });
      const [page] = await readPdf((await printer.drawReceipt({ document, facts, paper })).pdf, { dpi });
      const rows = inkSpansMm(page?.picture ?? NOTHING, "rows", dpi);
      expect((rows[1]?.endMm ?? 0) - (rows[1]?.startMm ?? 0)).toBeGreaterThanOrEqual(1.99);
      const gapsMm = rows.slice(1).map((row, index) => row.startMm - (rows[index]?.endMm ?? 0));
      // Gaps of less than this are within a row, such as that between Й and its accent.
      expect(gapsMm.filter((gapMm) => gapMm > WITHIN_LETTER_MM).toSorted()[0]).toBeGreaterThanOrEqual(0.5);
    });

    it(`has on ${paper} a QR code of at least 20 mm of modules with four white modules around it`, async () => {
      const dpi = 406;
      const [page] = await readPdf(await drawSale(["Хлеб"], paper), { dpi });
      const rows = inkSpansMm(page?.picture ?? NOTHING, "rows", dpi);
      const code = rows.at(-1);
      const sideMm = (code?.endMm ?? 0) - (code?.startMm ?? 0);
      const marginMm = (4 * sideMm) / 33;
      expect(sideMm).toBeGreaterThanOrEqual(20);
      expect(((page?.heightPt ?? 0) * 25.4) / 72 - (code?.endMm ?? 0)).toBeGreaterThanOrEqual(marginMm);
      expect((code?.startMm ?? 0) - (rows.at(-2)?.endMm ?? 0)).toBeGreaterThanOrEqual(marginMm - 0.1);
    });
  }

  it("draws the names whose characters the font would join", async () => {
    const names = ["Болт -- М6", "Чай .. пакет", "A == B", "а // б", "C :: D", "Вход -> выход", "<!-- => ... !== ||| www"];
    const [page] = await readPdf(await drawSale(names, "80"));
    const text = page?.lines ?? [];
    for (const name of names) expect(text).toContain(name);
  });

  it("shows a plain form or a box for what the font lacks", async () => {
    const [page] = await readPdf(await drawSale(["Кофе ☕️ «Ёлка» ﬁлтр\u00a0№ ①", "Тест 👨‍👩‍👧‍👦!"], "80"));
    expect(page?.lines).toContain("Кофе □ «Ёлка» fiлтр № (1)");
    expect(page?.lines).toContain("Тест □!");
  });

  it("cuts letters beyond the common ones for the receipt that has them", async () => {
    const [page] = await readPdf(await drawSale(["Ґанок і їжа, Өмүр, Ångström, ½ Ω"], "80"));
    expect(page?.lines).toContain("Ґанок і їжа, Өмүр, Ångström, ½ Ω");
  });

  it("says first that a test drive makes no receipts, and says nothing of it for a real drive", async () => {
    const { document, facts } = saleExample();
    const [test] = await readPdf((await printer.drawReceipt({ document, facts, paper: "80", copy: true })).pdf);
    expect(test?.lines.slice(0, 2)).toEqual(["ТЕСТОВЫЙ ФН. НЕ ЯВЛЯЕТСЯ КАССОВЫМ ЧЕКОМ", "КОПИЯ"]);
    const real = { ...facts, identity: identity({ driveNumber: "1234567890123456" }) };
    const [page] = await readPdf((await printer.drawReceipt({ document, facts: real, paper: "80" })).pdf);
    expect(page?.lines.join("\n")).not.toContain("ТЕСТ");
  });

  it("holds 250 positions on one page of a roll and on numbered sheets of A4", async () => {
    const names = Array.from({ length: 250 }, (_, index) => `Товар ${index + 1}`);
    expect(await readPdf(await drawSale(names, "80"), { dpi: 20 })).toHaveLength(1);
    const sheets = await readPdf(await drawSale(names, "a4"), { dpi: 20 });
    expect(sheets.length).toBeGreaterThan(15);
    expect(sheets[1]?.lines.at(-1)).toBe(`лист 2 из ${sheets.length}`);
    for (const sheet of sheets) expect(sheet.heightPt).toBeCloseTo(841.89, 2);
    const all = sheets.flatMap((sheet) => sheet.lines);
    for (const name of names) expect(all).toContain(name);
  });

  it("never leaves the QR code alone on a sheet", async () => {
    for (const count of sample([4, 5, 6, 7, 8, 9, 10, 11, 12], 5)) {
      const sheets = await readPdf(await drawSale(new Array(count).fill("Товар"), "a4"), { dpi: 10 });
      const last = sheets.at(-1)?.lines.filter((text) => !text.startsWith("лист ")) ?? [];
      expect(last).not.toHaveLength(0);
    }
  });

  it("goes on in a second page where readers stop showing a longer one", async () => {
    const pages = await readPdf(await drawSale(new Array(400).fill("Товар"), "58"), { dpi: 10 });
    expect(pages).toHaveLength(2);
    for (const page of pages) expect(page.heightPt).toBeLessThanOrEqual(14_400);
  });

  it("lets others have their turn of the event loop while a thousand positions are drawn", async () => {
    const names = new Array<string>(1000).fill("Средство для мытья посуды «Образец»");
    for (const paper of sample(ALL_PAPERS, 2)) {
      // There are at least four lines for each position, and three steps of work on each.
      expect(await turnsWhile(() => drawSale(names, paper))).toBeGreaterThan(20);
    }
  });

  it("has the same bytes when others are drawn in between", async () => {
    const orders = [["Хлеб"], new Array<string>(300).fill("Ґанок"), new Array<string>(200).fill("Соль")];
    const together = await Promise.all(orders.map((names) => drawSale(names, "80")));
    for (const [index, names] of orders.entries()) expect(together[index]).toEqual(await drawSale(names, "80"));
  });

  it("has the same bytes in another process and another time zone", async () => {
    const here = await digests();
    const program = fileURLToPath(new URL("../../support/receipts-digest.ts", import.meta.url));
    for (const TZ of sample(["Asia/Vladivostok", "America/New_York"], 1)) {
      expect(execFileSync(process.execPath, [program], { env: { TZ, ...COMPILE_CACHE }, encoding: "utf8" }).split("\n")).toEqual(here);
    }
  });

  it("stays below 14 KiB with ten positions", async () => {
    const names = ["Хлеб", "Сыр", "Молоко 3,2%", "Кофе Jardin", "Чай Greenfield", "Средство", "Яйцо С1", "Бананы", "Шоколад 72 %", "Пакет"];
    expect((await drawSale(names, "80")).length).toBeLessThanOrEqual(14 * 1024);
  });
});

/** The number of turns of the event loop that other work gets meanwhile. */
async function turnsWhile(work: () => Promise<unknown>): Promise<number> {
  let [turns, done] = [0, false];
  const others = (async () => {
    for (; !done; turns++) await nextTurn();
  })();
  await work();
  done = true;
  await others;
  return turns;
}

const WITHIN_LETTER_MM = 0.3;
const NOTHING = { width: 0, height: 0, data: new Uint8ClampedArray() };
