import { randomUUID } from "node:crypto";
import type { FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { createSeal } from "../../../src/security/seal.ts";
import { PageSessions } from "../../../src/web/settings/session/session.ts";
import { seriousFindings, WITHOUT_BROWSER } from "../../support/browser.ts";
import { goTo, openWindow, overflowOf, picture, SOON } from "../../support/settings-window.ts";
import { installBody, tokenOf } from "../../support/vendor.ts";
import { CREDENTIAL, SECRET_KEY, type WindowScene, windowScene } from "../../support/window-scene.ts";

describe.skipIf(WITHOUT_BROWSER !== undefined)("windows of the settings page", () => {
  let scene: WindowScene;
  let storeId: string;
  beforeAll(async () => {
    scene = await windowScene({ development: true });
    storeId = String((await scene.sandbox.call("GET", "entity/retailstore?limit=1")).at("rows", 0, "id"));
  });
  afterAll(() => scene.close());

  async function saveName(frame: FrameLocator, name: string): Promise<void> {
    await openProgramme(frame);
    await frame.locator("[name=name]").fill(name);
    const page = frame.owner().page();
    const saved = page.waitForResponse(
      (response) => response.request().method() === "POST" && response.url().includes("/settings/loyalty"),
    );
    await frame.locator("#save-programme").click();
    expect((await saved).status()).toBe(200);
    await expect.poll(() => frame.locator("[data-notice]").textContent(), SOON).toMatch(/Программа сохранена/);
  }

  /** Opens the page from another page, so that the shown page is certainly a new one. */
  async function openProgramme(frame: FrameLocator): Promise<void> {
    await goTo(frame, "stores");
    await goTo(frame, "loyalty");
  }

  /** Installs the solution into another account, whose administrator then opens a page in the browser. */
  async function anotherAccount(page: Page): Promise<void> {
    const accountId = randomUUID();
    const installed = await fetch(`${scene.base}/vendor/api/platform/vendor/1.0/apps/${scene.appId}/${accountId}`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${tokenOf(CREDENTIAL, systemClock)}`,
        "content-type": "application/json",
        X_Platform_RequestId: randomUUID(),
      },
      body: JSON.stringify(installBody({ appUid: CREDENTIAL.appUid, accountName: "another" })),
    });
    expect(installed.status).toBe(200);
    const sessions = new PageSessions({ seal: createSeal(new Secret(SECRET_KEY)), clock: systemClock, chance: systemChance });
    await page.route("**/settings/session", async (route) => {
      const user = { appId: scene.appId, accountId, name: "admin@another", role: "admin", administrator: true };
      const { text, session } = sessions.begin(user, "ru");
      const cookie = `settings_session=${text}; Path=/settings; HttpOnly; Secure; SameSite=None; Partitioned`;
      const expiresAt = new Date(session.expiresAtMs).toISOString();
      const body = JSON.stringify({ session: text, role: "admin", account: accountId, expiresAt });
      await route.fulfill({ status: 200, headers: { "set-cookie": cookie, "content-type": "application/json" }, body });
    });
  }

  it("of two accounts in two tabs never show or change anything of each other", async () => {
    const first = await openWindow(scene.windowOf("admin@shop"));
    await saveName(first.frame, "Первая программа");
    const page = await first.browser.context.newPage();
    await anotherAccount(page);
    await page.goto(scene.windowOf("admin@shop"));
    const frame = page.frameLocator("iframe");
    await goTo(frame, "stores");
    await expect.poll(() => frame.locator("main").textContent(), SOON).toMatch(/another/);
    expect(await frame.locator("[data-store]").count()).toBe(0);
    await goTo(frame, "loyalty");
    expect(await frame.locator("[name=name]").inputValue()).toBe("");
    await saveName(frame, "Вторая программа");
    const foreign = `(async () => { window.htmx.ajax("GET", "/settings/stores/${storeId}", { target: "#main" }); })()`;
    const answered = page.waitForResponse((response) => response.url().endsWith(`/settings/stores/${storeId}`));
    await frame.locator("body").evaluate(foreign);
    expect((await answered).status()).toBe(404);

    // The cookie now belongs to the second account, but the first tab uses its own bearer token.
    await saveName(first.frame, "Первая, новая");
    await openProgramme(frame);
    expect(await frame.locator("[name=name]").inputValue()).toBe("Вторая программа");
    await openProgramme(first.frame);
    expect(await first.frame.locator("[name=name]").inputValue()).toBe("Первая, новая");
  });

  it("that were kept show nothing of the account before when somebody of another account sits before them", async () => {
    const { page, frame, browser } = await openWindow(scene.windowOf("admin@shop"));
    await goTo(frame, "stores");
    await frame.locator(`[data-store="${storeId}"] a`).click();
    await expect.poll(() => frame.locator("body").getAttribute("data-page"), SOON).toBe("store");
    await anotherAccount(page);
    await page.evaluate(`document.querySelector("iframe").contentWindow.postMessage({ name: "Open" }, "*")`);
    await expect.poll(() => frame.locator("main").textContent(), SOON).toMatch(/another/);
    expect(await frame.locator("#settings, [data-store]").count()).toBe(0);
    expect(browser.violations).toEqual([]);
  });

  it("that were kept show no answer of the account before that was still on its way", async () => {
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await goTo(frame, "stores");
    const shown = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    await page.route(`**/settings/stores/${storeId}`, async (route) => {
      const response = await route.fetch();
      taken.resolve();
      await shown.promise;
      await route.fulfill({ response });
    });
    await frame.locator(`[data-store="${storeId}"] a`).click();
    await taken.promise;
    await anotherAccount(page);
    await page.evaluate(`document.querySelector("iframe").contentWindow.postMessage({ name: "Open" }, "*")`);
    await expect.poll(() => frame.locator("main").textContent(), SOON).toMatch(/another/);
    const late = page.waitForResponse((response) => response.url().endsWith(`/settings/stores/${storeId}`));
    shown.resolve();
    await late;
    // When the page has received the answer to a later request, it has received this one too.
    await frame.locator("body").evaluate(`fetch("/settings").then((response) => response.text())
      .then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))`);
    expect(await frame.locator("#settings, [data-store]").count()).toBe(0);
  });

  it("whose session is over send nothing that was typed in the name of another account", async () => {
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await goTo(frame, "loyalty");
    await frame.locator("[name=name]").fill("Чужая программа");
    let sent = 0;
    await page.route("**/settings/loyalty", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      sent += 1;
      return sent === 1 ? route.fulfill({ status: 401, body: "" }) : route.continue();
    });
    await anotherAccount(page);
    await frame.locator("#save-programme").click();
    await expect.poll(() => frame.locator("main").textContent(), SOON).toMatch(/another/);
    await goTo(frame, "loyalty");
    expect(await frame.locator("[name=name]").inputValue()).toBe("");
    expect(sent).toBe(1);
  });

  it("ask before what was typed and not saved makes place for another page", async () => {
    const { frame } = await openWindow(scene.windowOf("admin@shop"));
    await goTo(frame, "stores");
    await frame.locator(`[data-store="${storeId}"] a`).click();
    await frame.locator("[name=place]").fill("Набрано и не сохранено");
    await frame.locator("[data-link=payments]").click();
    await expect.poll(() => frame.locator("#question").textContent(), SOON).toMatch(/не сохранено и пропадёт/);
    await frame.locator("#question button[value=no]").click();
    expect(await frame.locator("[name=place]").inputValue()).toBe("Набрано и не сохранено");
    await frame.locator("[data-link=payments]").click();
    await frame.locator("#question button[value=yes]").click();
    await expect.poll(() => frame.locator("body").getAttribute("data-page"), SOON).toBe("payments");
  });

  it("ask nothing before a page is left on which nothing was typed, though all there is to set is set", async () => {
    const { frame } = await openWindow(scene.windowOf("admin@shop"));
    const openStore = async () => {
      await goTo(frame, "stores");
      await frame.locator(`[data-store="${storeId}"] a`).click();
      await expect.poll(() => frame.locator("body").getAttribute("data-page"), SOON).toBe("store");
    };
    await openStore();
    await frame.locator("[name='register.scheme']").selectOption("emulator");
    await frame.locator("[name='register.name']").fill("till-1");
    await frame.locator("#register [data-action=save]").click();
    await expect.poll(() => frame.locator("#register [name=clear]").count(), SOON).toBe(1);
    await goTo(frame, "payments");
    await openStore();
    await goTo(frame, "loyalty");
    await goTo(frame, "stores");
  });

  it("work from a server that is known by plain http, where a browser keeps no cookie of theirs", async () => {
    const { page, frame, browser } = await openWindow(scene.windowOf("admin@shop"));
    const address = `http://solution.test:${new URL(scene.base).port}`;
    // The platform's page as it would be if the descriptor named this address.
    await page.evaluate(`facts.frameOrigin = "${address}"; frame.src = frame.src.replace(/^http:\\/\\/[^/]+/, "${address}");`);
    await expect.poll(() => page.frames()[1]?.url(), SOON).toContain(address);
    await goTo(frame, "stores");
    await frame.locator(`[data-store="${storeId}"] a`).click();
    await frame.locator("[name=place]").fill("Без замка");
    await frame.locator("#settings [data-action=save]").click();
    await expect.poll(() => frame.locator("[data-notice]").textContent(), SOON).toMatch(/сохранены/);
    expect((await browser.context.cookies()).filter(({ domain }) => domain.endsWith("solution.test"))).toEqual([]);
    expect(browser.violations).toEqual([]);
  });

  it("take a refund and a grant from the first click to the payment and the ledger, each from a wrong form on", async () => {
    const { sandbox } = scene;
    const asked = await sandbox.call("POST", `${sandbox.base}/sandbox/qr`, { amount: 150_00, retailStoreId: storeId });
    const payment = String(asked.at("operationId"));
    const till = () => sandbox.call("GET", `${sandbox.base}/sandbox/qr/${payment}`).then((told) => told.at("status"));
    await expect.poll(till, { timeout: 60_000 }).toBe("DONE");
    const { page, frame, browser } = await openWindow(scene.windowOf("admin@shop"));
    await goTo(frame, "payments");
    await picture(page, "payments-1280");
    await frame.locator(`[data-payment="${payment}"] a`).click();
    await frame.locator("[name=amount]").fill("12,345");
    await frame.locator("[data-action=refund]").click();
    await frame.locator("#question [value=yes]").click();
    await expect.poll(() => frame.locator("[name=amount]").getAttribute("aria-invalid"), SOON).toBe("true");
    await picture(page, "refund-wrong-1280");
    await frame.locator("[name=amount]").fill("50,5");
    await frame.locator("[name=reason]").fill("вернули товар");
    await frame.locator("[data-action=refund]").click();
    await frame.locator("#question [value=yes]").click();
    await expect.poll(() => frame.locator("#payment").textContent(), { timeout: 60_000 }).toMatch(/Возвраты[\s\S]*50,50/);
    expect(await seriousFindings(page.frames()[1])).toEqual([]);
    await picture(page, "refund-1280");

    await goTo(frame, "loyalty");
    await frame.locator("#loyalty-off button").click();
    await expect.poll(() => frame.locator("#loyalty-on").count(), SOON).toBe(1);
    const told = () => sandbox.call("GET", `${sandbox.base}/sandbox/solution`).then((answer) => answer.at("loyalty", "url"));
    await expect.poll(told, { timeout: 60_000 }).toMatch(/\/loyalty$/);
    const enrolled = await sandbox.call("POST", `${sandbox.base}/sandbox/loyalty/enrol`, { name: "Ольга Смирнова", phone: "+79990000002" });
    expect(enrolled.status).toBe(200);
    await goTo(frame, "members");
    await frame.locator("[name=q]").fill("Смирнова");
    await frame.locator("[role=search] button").click();
    await picture(page, "members-1280");
    await frame.locator("[data-member] a").click();
    await frame.locator("[name=points]").fill("сто");
    await frame.locator("[data-action=grant]").click();
    await expect.poll(() => frame.locator("[data-error]").count(), SOON).toBe(2);
    await frame.locator("[name=points]").fill("100");
    await frame.locator("[name=reason]").fill("извинения");
    await frame.locator("[data-action=grant]").click();
    await expect.poll(() => frame.locator("#member").textContent(), SOON).toMatch(/100 б\.[\s\S]*Начислено вручную[\s\S]*\+100/);
    await picture(page, "member-1280");
    expect(browser.violations).toEqual([]);
  });

  it.each([
    ["light", 1280],
    ["dark", 400],
  ] as const)(
    "keep nobody from using payments and members, in %s colours at %i pixels",
    async (colorScheme, width) => {
      const { page, frame, browser } = await openWindow(scene.windowOf("admin@shop"), { colorScheme, viewport: { width, height: 900 } });
      const look = async (name: string) => {
        expect(await seriousFindings(page.frames()[1])).toEqual([]);
        expect(await overflowOf(frame)).toBe(0);
        await picture(page, `${name}-${colorScheme}-${width}`);
      };
      for (const [list, row] of [
        ["payments", "payment"],
        ["members", "member"],
      ] as const) {
        await goTo(frame, list);
        await look(list);
        await frame.locator(`[data-${row}] a`).first().click();
        await expect.poll(() => frame.locator("body").getAttribute("data-page"), SOON).toBe(row);
        await look(row);
      }
      expect(browser.violations).toEqual([]);
    },
    90_000,
  );
});
