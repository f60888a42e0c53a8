import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { browserOfTest, PICTURES, seriousFindings, type TestBrowser, WITHOUT_BROWSER } from "../../support/browser.ts";
import { PASSWORD } from "../../support/console-scene.ts";
import { type ConsoleShop, consoleShop } from "../../support/console-shop.ts";

/** Three English words in a row. No page in Russian has them. */
function englishIn(text: string): string[] {
  return text.match(/\b[A-Za-z]{2,}(?: [a-z]{2,}){2,}\b/g) ?? [];
}

describe.skipIf(WITHOUT_BROWSER !== undefined)("the console in a browser", () => {
  async function open(options: Parameters<typeof browserOfTest>[0] = {}): Promise<{ shop: ConsoleShop; page: Page; browser: TestBrowser }> {
    const shop = await consoleShop();
    const browser = await browserOfTest(options);
    return { shop, page: await browser.context.newPage(), browser };
  }

  async function logIn(shop: ConsoleShop, page: Page, path = "/"): Promise<void> {
    await page.goto(`${shop.base}/console${path}`);
    await page.fill("[name=login]", "anna");
    await page.fill("[name=password]", PASSWORD);
    await page.press("[name=password]", "Enter");
    await page.waitForSelector("body:not([data-page=login])");
    await page.waitForLoadState();
  }

  /** Waits until the page with this name is there as a whole. A click ends before the page that it leads to is read. */
  async function arrives(page: Page, name: string): Promise<void> {
    await page.waitForSelector(`body[data-page=${name}]`);
    await page.waitForLoadState();
  }

  async function picture(page: Page, name: string): Promise<void> {
    if (PICTURES === "") return;
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ caret: "initial", fullPage: true, path: `${PICTURES}/${name}.png` });
  }

  const pages = (shop: ConsoleShop): [name: string, path: string][] => [
    ["home", "/"],
    ["operations", "/operations"],
    ["operations-found", "/operations?q=31&from=2026-11-13"],
    ["operations-none", "/operations?q=nothing"],
    ["operation-done", "/operations/sale-31"],
    ["operation-refused", "/operations/cash-1"],
    ["operation-doubt", "/operations/doubt"],
    ["registers", "/registers"],
    ["payments", "/payments"],
    ["payment", `/payments/${shop.paymentId}`],
    ["payment-unknown", "/payments/payment-3"],
    ["members-choice", "/members"],
    ["members-found", "/members?q=иванова"],
    ["member", `/members/${shop.memberId}`],
    ["installations", "/installations"],
    ["totals", "/totals?from=2026-11-13"],
    ["audit", "/audit"],
    ["problem", "/nowhere"],
  ];

  // Findings depend on the width or on the colours. Axe takes most of the time, so it examines each width and each
  // colour scheme once.
  it.each([
    [400, "light", "without axe"],
    [400, "dark", "with axe"],
    [1280, "light", "with axe"],
    [1280, "dark", "without axe"],
  ] as const)(
    "shows every page on %i px in %s colours, %s: nothing is cut off, nothing serious is found, no policy is violated",
    async (width, colorScheme, axe) => {
      const { shop, page, browser } = await open({ viewport: { width, height: 900 }, colorScheme });
      const look = async (name: string) => {
        await page.waitForLoadState();
        const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        await picture(page, `${name}-${width}-${colorScheme}`);
        const findings = axe === "with axe" ? await seriousFindings(page.mainFrame()) : [];
        expect([name, overflow, findings]).toEqual([name, 0, []]);
        expect([name, englishIn((await page.locator("main").textContent()) ?? "")]).toEqual([name, []]);
        expect([name, await page.locator("h1").count(), await page.locator("main").count()]).toEqual([name, 1, 1]);
      };
      await page.goto(`${shop.base}/console/`);
      await page.fill("[name=login]", "anna");
      await page.fill("[name=password]", "wrong");
      await page.click("button.primary");
      await page.waitForSelector("[data-error]");
      await look("login-wrong");
      await page.fill("[name=password]", PASSWORD);
      await page.click("button.primary");
      await arrives(page, "home");
      for (const [name, path] of pages(shop)) {
        await page.goto(`${shop.base}/console${path}`);
        await look(name);
      }
      await page.goto(`${shop.base}/console/operations/doubt`);
      const figures = { number: "x", sign: "1234567890", time: "14.11.26 09:03", shift: "2" };
      for (const [name, value] of Object.entries(figures)) await page.fill(`#settle [name=${name}]`, value);
      await page.fill("#field-settle-done-why", "the paper");
      await page.locator("#settle button").first().click();
      await page.waitForSelector("[data-error]");
      await look("operation-doubt-wrong");
      await page.goto(`${shop.base}/console/payments/${shop.paymentId}`);
      await page.fill("#refund [name=amount]", "much");
      await page.click("[data-action=refund]");
      await page.waitForSelector("[data-error]");
      await look("payment-wrong");
      await page.goto(`${shop.base}/console/members/${shop.memberId}`);
      await page.fill("#grant [name=points]", "many");
      await page.click("[data-action=grant]");
      await page.waitForSelector("[data-error]");
      await page.click("#erase summary");
      await look("member-wrong");
      expect(browser.violations).toEqual([]);
    },
    180_000,
  );

  it("says in three clicks from home what happened to receipt 00031 yesterday", async () => {
    const { shop, page } = await open();
    await logIn(shop, page);
    await page.fill("#find", "00031");
    await page.click("[role=search] button");
    await arrives(page, "operations");
    const rows = page.locator("[data-operation]");
    expect(await rows.count()).toBe(2);
    await rows.filter({ hasText: "13.11.2026" }).locator("a").click();
    await arrives(page, "operation");
    expect(await page.textContent("main")).toMatch(/Документ пробит[\s\S]*КАССОВЫЙ ЧЕК/);
  });

  it("keeps what was typed and puts the caret on what is wrong, and the same by the keyboard alone", async () => {
    const { shop, page } = await open();
    await page.goto(`${shop.base}/console/`);
    const active = () => page.evaluate("document.activeElement.getAttribute('name') ?? document.activeElement.className");
    // A browser gives the focus when it draws the page, which may be after the page was read.
    await expect.poll(active).toBe("login");
    await page.keyboard.type("anna");
    await page.keyboard.press("Tab");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await arrives(page, "home");
    await page.keyboard.press("Tab");
    await expect.poll(active).toBe("skip");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("00031");
    await page.keyboard.press("Enter");
    await arrives(page, "operations");
    await page.locator("[data-operation] a").first().focus();
    await page.keyboard.press("Enter");
    await arrives(page, "operation");
    await page.goto(`${shop.base}/console/payments/${shop.paymentId}`);
    await page.locator("#refund [name=amount]").focus();
    await page.keyboard.type("0");
    await page.keyboard.press("Tab");
    await page.keyboard.type("the buyer came back");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-error]");
    await page.waitForLoadState();
    await expect.poll(active).toBe("amount");
    expect(await page.inputValue("#refund [name=reason]")).toBe("the buyer came back");
  });

  it("needs no script: login, search, a grant, a doubt that is settled, and the way out", async () => {
    const { shop, page } = await open({ withoutScript: true });
    await logIn(shop, page, "/operations?q=00032");
    await page.locator("[data-operation=doubt] a").click();
    await arrives(page, "operation");
    const form = page.locator("#settle form").last();
    await form.locator("[name=why]").fill("looked twice");
    const settled = page.waitForURL(/settle$/);
    await form.locator("button").click({ noWaitAfter: true });
    await shop.till.trial.settled(settled);
    await page.waitForSelector("[data-error], [data-notice]");
    // The register has the document, so a wrong statement settles nothing.
    expect(await page.textContent("[data-error]")).toMatch(/Касса говорит другое/);
    const found = await shop.till.trial.lookUp((await shop.till.trial.state()).lastDocumentNumber);
    if (found.kind !== "found" || found.facts.kind !== "fiscal") throw new Error("the drive has no such document");
    const { documentNumber, fiscalSign, time, shiftNumber } = found.facts;
    const done = page.locator("#settle form").first();
    for (const [name, value] of Object.entries({ number: documentNumber, sign: fiscalSign, time, shift: shiftNumber, why: "the paper" }))
      await done.locator(`[name=${name}]`).fill(String(value));
    await done.locator("button").click({ noWaitAfter: true });
    await shop.till.trial.settled(page.waitForSelector("[data-notice]"));
    expect(await page.getAttribute("main [data-operation]", "data-state")).toBe("done");
    await picture(page, "operation-settled");
    await page.goto(`${shop.base}/console/members/${shop.memberId}`);
    await page.fill("#grant [name=points]", "150");
    await page.fill("#grant [name=reason]", "a late parcel");
    await page.click("[data-action=grant]");
    expect(await page.textContent("[data-notice]")).toMatch(/150/);
    await picture(page, "member-granted");
    await page.goto(`${shop.base}/console/audit`);
    expect(await page.textContent("main")).toMatch(/a late parcel[\s\S]*the paper/);
    await picture(page, "audit-lines");
    const download = page.waitForEvent("download");
    await page.click("[data-action=export]");
    expect((await download).suggestedFilename()).toBe("audit.csv");
    await page.click("form[action='/console/logout'] button");
    await arrives(page, "login");
  });
});
