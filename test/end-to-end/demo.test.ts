import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import jsqr from "jsqr";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/end-to-end-command.ts";
import { EXTENT } from "../support/extent.ts";
import { readPdf } from "../support/pdf.ts";
import { temporaryFolder } from "../support/server-process.ts";

/** The demo and the server start, and with `--keep` a sandbox too. Each of these programs is compiled at its start. */
const DEMO_LIMIT_MS = 240_000;

describe("the demo", () => {
  it("a shift of the fiscal contract alone is played, its receipts are written and the server ends", {
    timeout: DEMO_LIMIT_MS,
  }, async () => {
    const folder = temporaryFolder();
    const { exitCode, out, err } = await runCommand(["demo", "--only", "fiscal"], folder);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(existsSync(/folder (\S+),/.exec(out)?.[1] ?? folder)).toBe(false);
    expect(documentNumbersIn(out)).toEqual([2, 3, 4, 5, 6, 7, 8, THE_REPEATED_SALE, 9, 10]);
    expect(out).not.toContain("QR");
    expect(out).not.toContain("loyalty");
    expect(out).toMatch(/^16 +sale after uninstall /m);
    expect(out).toContain("the same answer, byte for byte");
    const receipts = RECEIPTS.slice(0, FISCAL_RECEIPTS);
    expect(readdirSync(join(folder, "demo-receipts")).toSorted()).toEqual(receipts);
    const sales = receipts.filter((name) => /sale|return/.test(name));
    const printed = await Promise.all(sales.map((name) => codeOn(join(folder, "demo-receipts", name))));
    expect(printed).toEqual(saleRowsIn(out));
    expect(isRunning(pidIn(out))).toBe(false);
  });

  it.runIf(EXTENT === "long")(
    "a whole shift is played, its receipts are written and the server ends",
    { timeout: DEMO_LIMIT_MS },
    async () => {
      const folder = temporaryFolder();
      const { exitCode, out, err } = await runCommand(["demo"], folder);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      // The folder was not named by anybody, so the demo itself has removed it.
      expect(existsSync(/folder (\S+),/.exec(out)?.[1] ?? folder)).toBe(false);
      expect(documentNumbersIn(out)).toEqual([2, 3, 4, 5, 6, 7, 8, THE_REPEATED_SALE, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
      expect(out).toContain("7 receipts, 9 fiscal documents");
      expect(out).toContain("the same answer, byte for byte");
      expect(readdirSync(join(folder, "demo-receipts")).toSorted()).toEqual(RECEIPTS);
      for (const name of RECEIPTS)
        expect(
          readFileSync(join(folder, "demo-receipts", name))
            .subarray(0, 5)
            .toString(),
        ).toBe("%PDF-");
      expect(isRunning(pidIn(out))).toBe(false);
      const printed = await Promise.all(
        RECEIPTS.filter((name) => /sale|return/.test(name)).map((name) => codeOn(join(folder, "demo-receipts", name))),
      );
      expect(printed).toEqual(saleRowsIn(out));
      expect(await shiftSumsOn(join(folder, "demo-receipts", "14-close-shift.pdf"))).toEqual([
        sumOf(printed.slice(0, 6)),
        sumOf(printed.slice(6, 7)),
      ]);
      // The sale by QR: the code is shown, the buyer pays, the receipt has the sum as paid without cash, and the whole
      // sum is refunded.
      expect(out).toMatch(/^16 +QR code +204\.80 +\d+ +https:/m);
      expect(out).toMatch(/^17 +QR paid +204\.80 +\d+ +(IN_PROGRESS ×\d+, then )?DONE$/m);
      expect(out).toMatch(/^20 +QR cancelled +300\.02 +\d+ +(IN_PROGRESS ×\d+, then )?REJECTED$/m);
      expect(out).toMatch(/^22 +QR money back +204\.80 +\d+ +DONE stays$/m);
      expect(out).toMatch(/^23 +QR, a kopeck too much .* refused, 1004:/m);
      for (const name of ["18-sale-qr.pdf", "21-return-qr.pdf"])
        expect(await cashlessSumsOn(join(folder, "demo-receipts", name))).toEqual(["204.80"]);
      expect(await shiftSumsOn(join(folder, "demo-receipts", "24-close-shift-qr.pdf"))).toEqual([20480, 20480]);
      // The member earns 5 %, spends all points, and has them back after the return. The receipts have the sums that the programme
      // computed.
      expect(out).toMatch(/^27 +member joins .* 0 points$/m);
      expect(out).toMatch(/^30 +points earned .* 38 points$/m);
      expect(out).toMatch(/^32 +sale, member spends +17 +\d+ +731\.50 /m);
      expect(out).toMatch(/^33 +points spent .* 36 points$/m);
      expect(out).toMatch(/^35 +points back .* 38 points$/m);
    },
  );

  it.runIf(EXTENT === "long")(
    "with --keep the server and a platform run on at the printed addresses, and the server ends a demo on the same folder with 1 and its name",
    {
      timeout: DEMO_LIMIT_MS,
    },
    async () => {
      const folder = temporaryFolder();
      const data = join(folder, "data");
      const { exitCode, out } = await runCommand(["demo", "--keep", "--data", data], folder);
      const page = /the server goes on as process \d+: (\S+)/.exec(out)?.[1] ?? "";
      const [, sandbox, window = ""] = /its settings page, .*\(process (\d+)\): (\S+)/.exec(out) ?? [];
      try {
        expect(exitCode).toBe(0);
        expect((await fetch(page)).status).toBe(200);
        const console = /its console: (\S+) \(login operator, password operator-development-only\)/.exec(out)?.[1] ?? "";
        expect((await fetch(console)).url).toContain("/console/login");
        // The frame can be opened only after the sandbox has installed the server in its own account.
        await expect.poll(async () => (await fetch(window)).status, { timeout: DEMO_LIMIT_MS }).toBe(200);
        expect(await (await fetch(window)).text()).toContain(`src="${new URL(page).origin}/settings?`);
        await expect
          .poll(async () => (await fetch(new URL("/sandbox/solution", window))).json(), { timeout: DEMO_LIMIT_MS })
          .toMatchObject({ status: "Activated" });
        const second = await runCommand(["demo", "--data", data], folder);
        expect(second.exitCode).toBe(1);
        expect(second.err).toContain("demo failed: the server did not start");
        expect(second.err).toContain(String(pidIn(out)));
        expect(second.err).toContain(`everything is left in ${data}`);
      } finally {
        for (const pid of [pidIn(out), Number(sandbox)]) process.kill(pid, "SIGKILL");
      }
    },
  );

  it("a wrong option ends it with 2 and one line that names it", { timeout: DEMO_LIMIT_MS }, async () => {
    const { exitCode, err } = await runCommand(["demo", "--faults", "lost-answer"], temporaryFolder());
    expect(exitCode).toBe(2);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(err).toContain("--faults");
  });
});

/** The sale whose answer comes twice, with the same numbers. */
const THE_REPEATED_SALE = 3;

/** The number of receipts of the fiscal contract. */
const FISCAL_RECEIPTS = 11;
const RECEIPTS = [
  "02-open-shift.pdf",
  "03-cash-in.pdf",
  "04-sale-cash.pdf",
  "05-sale-card.pdf",
  "06-sale-mixed-discount.pdf",
  "07-sale-weighed-goods.pdf",
  "08-sale-two-marked-goods.pdf",
  "09-sale-two-vat-rates.pdf",
  "11-return-of-a-part.pdf",
  "13-cash-out.pdf",
  "14-close-shift.pdf",
  "15-open-shift-qr.pdf",
  "18-sale-qr.pdf",
  "21-return-qr.pdf",
  "24-close-shift-qr.pdf",
  "25-open-shift-loyalty.pdf",
  "29-sale-member-earns.pdf",
  "32-sale-member-spends.pdf",
  "34-return-member.pdf",
  "36-close-shift-loyalty.pdf",
];

/** The sums that a receipt states as paid without cash (tag 1081). */
async function cashlessSumsOn(file: string): Promise<string[]> {
  const [page] = await readPdf(readFileSync(file));
  return (page?.lines ?? []).flatMap((line) => /^ *БЕЗНАЛИЧНЫМИ +=(\d+\.\d\d)$/.exec(line)?.slice(1) ?? []);
}

/** The number, sign and sum in the QR code of a receipt, read from the picture. */
async function codeOn(file: string): Promise<string[]> {
  const [page] = await readPdf(readFileSync(file));
  const { data, width, height } = page?.picture ?? { data: new Uint8ClampedArray(), width: 0, height: 0 };
  const code = new URLSearchParams(jsqr.default(data, width, height)?.data);
  return ["i", "fp", "s"].map((name) => code.get(name) ?? "");
}

/** The sums of the shift's sales and returns on the printed close report, in kopecks. */
async function shiftSumsOn(file: string): Promise<number[]> {
  const [page] = await readPdf(readFileSync(file));
  const sums = (page?.lines ?? []).flatMap((line) => /^ *СУММА +=(\d+\.\d\d)$/.exec(line)?.slice(1) ?? []);
  return sums.slice(0, 2).map(kopecks);
}

function sumOf(codes: string[][]): number {
  return codes.reduce((sum, [, , amount]) => sum + kopecks(amount ?? ""), 0);
}

function kopecks(roubles: string): number {
  return Math.round(Number(roubles) * 100);
}

/** The number, sign and sum in the table's rows that have both a fiscal number and a sum. The repeated sale has no receipt of its own. */
function saleRowsIn(out: string): string[][] {
  const rows = [...out.matchAll(/^ *\d+ {2}(.+?) {2,}(\d+) +(\d+) +(\d+\.\d\d) +\d+(?: {2}.*)?$/gm)];
  return rows.filter(([, title]) => title !== "the cash sale again").map(([, , ...cells]) => cells);
}

function documentNumbersIn(out: string): number[] {
  return [...out.matchAll(/^ *\d+ {2}.+? {2,}(\d+) {2}\d{10} /gm)].map(([, number]) => Number(number));
}

function pidIn(out: string): number {
  return Number(/server process (\d+)/.exec(out)?.[1]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}
