import type { FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.ts";
import { goTo, openWindow, SOON } from "../../support/settings-window.ts";
import { type WindowScene, windowScene } from "../../support/window-scene.ts";

/**
 * Stretches the moment in which an answer is drawn, so that a live part is drawn within that of an act, and notes the order of both in
 * `swaps` of the window. A live part is asked for each 0.7 s, but on a busy machine its answer takes seconds.
 */
const STRETCH_SWAPS = `window.swaps = new Promise((resolve) => {
  window.htmx.config.defaultSettleDelay = 12000;
  const swaps = [];
  for (const name of ["before", "after"])
    document.addEventListener("htmx:" + name + ":swap", ({ detail }) => {
      const isAct = detail.ctx.request.method === "POST";
      if (isAct) for (const part of document.querySelectorAll("[data-live]")) part.setAttribute("hx-get", part.getAttribute("hx-get") + "&since=another");
      swaps.push(name + (isAct ? " act" : " part"));
      if (swaps.includes("after act")) resolve(swaps);
    });
}); undefined`;

/**
 * Makes the next answer for a live part another one than is shown, so that the part is replaced. Counts in `live` of the window the questions
 * for live parts, and those that were sent only after their part had been replaced.
 */
const COUNT_LIVE = `window.live = { begun: 0, late: 0 };
for (const part of document.querySelectorAll("[data-live]")) part.setAttribute("hx-get", part.getAttribute("hx-get") + "&since=another");
const isLive = ({ detail }) => detail.ctx.sourceElement?.hasAttribute("data-live");
document.addEventListener("htmx:config:request", (event) => { if (isLive(event)) window.live.begun += 1; });
document.addEventListener("htmx:before:request", (event) => {
  if (isLive(event) && !event.detail.ctx.sourceElement.isConnected) window.live.late += 1;
}); undefined`;

/** Acts of a person while an answer is on its way. */
describe.skipIf(WITHOUT_BROWSER !== undefined)("a late answer at the settings page", () => {
  let scene: WindowScene;
  let storeId: string;
  beforeAll(async () => {
    scene = await windowScene({ development: true });
    storeId = String((await scene.sandbox.call("GET", "entity/retailstore?limit=1")).at("rows", 0, "id"));
  });
  afterAll(() => scene.close());

  async function openStore(frame: FrameLocator): Promise<void> {
    await goTo(frame, "stores");
    await frame.locator(`[data-store="${storeId}"] a`).click();
    await expect.poll(() => pageOf(frame), SOON).toBe("store");
  }

  /** Holds back the server's answers to requests of this method at these addresses. `taken`: the server has answered one. */
  async function hold(page: Page, addresses: string, method: string): Promise<{ taken: Promise<void>; letGo: () => void }> {
    const gate = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    await page.route(addresses, async (route) => {
      if (route.request().method() !== method) return route.continue();
      const response = await route.fetch();
      taken.resolve();
      await gate.promise;
      await route.fulfill({ response });
    });
    return { taken: taken.promise, letGo: gate.resolve };
  }

  const words = (frame: FrameLocator) => frame.locator("[data-notice]").textContent();
  const pageOf = (frame: FrameLocator) => frame.locator("body").getAttribute("data-page");

  it("to an act leaves what was typed into the same form meanwhile", async () => {
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await openStore(frame);
    await frame.locator("[name=place]").fill("Рынок");
    const saved = await hold(page, "**/settings/stores/*", "POST");
    await frame.locator("#settings [data-action=save]").click();
    await saved.taken;
    await frame.locator("[name=address]").fill("Дописано, пока сохраняется");
    saved.letGo();
    await expect.poll(() => words(frame), SOON).toMatch(/сохранены/);
    expect(await frame.locator("[name=place]").inputValue()).toBe("Рынок");
    expect(await frame.locator("[name=address]").inputValue()).toBe("Дописано, пока сохраняется");
  });

  it("for the live state leaves the words of an act, also when the next question has waited for it", async () => {
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await openStore(frame);
    const live = (what: "begun" | "late") => frame.locator("html").evaluate(`window.live.${what}`);
    await frame.locator("html").evaluate(COUNT_LIVE);
    const state = await hold(page, "**/state?*", "GET");
    await state.taken;
    await expect.poll(() => live("begun"), SOON).toBeGreaterThan(1);
    await frame.locator("[name=place]").fill("Рынок, ряд 2");
    await frame.locator("#settings [data-action=save]").click();
    await expect.poll(() => words(frame), SOON).toMatch(/сохранены/);
    state.letGo();
    await expect.poll(() => live("late"), SOON).toBeGreaterThan(0);
    expect(await words(frame)).toMatch(/сохранены/);
  });

  it("to an act leaves what was typed meanwhile, also while another part is drawn anew in the middle of it", async () => {
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await openStore(frame);
    await frame.locator("[name=place]").fill("Рынок, ряд 1");
    const saved = await hold(page, "**/settings/stores/*", "POST");
    await frame.locator("#settings [data-action=save]").click();
    await saved.taken;
    await frame.locator("[name=address]").fill("Дописано под чужую перерисовку");
    await frame.locator("body").evaluate(STRETCH_SWAPS);
    saved.letGo();
    expect(await frame.locator("body").evaluate("window.swaps")).toEqual(
      expect.arrayContaining(["before act", "before part", "after act"]),
    );
    expect(await frame.locator("[name=place]").inputValue()).toBe("Рынок, ряд 1");
    expect(await frame.locator("[name=address]").inputValue()).toBe("Дописано под чужую перерисовку");
  });

  it("to an act on a page that was left says what came of it, and takes no place", async () => {
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await openStore(frame);
    await frame.locator("[name=place]").fill("Рынок, ряд 2");
    const saved = await hold(page, "**/settings/stores/*", "POST");
    await frame.locator("#settings [data-action=save]").click();
    await saved.taken;
    await frame.locator("[data-link=payments]").click();
    await frame.locator("#question [value=yes]").click();
    await expect.poll(() => pageOf(frame), SOON).toBe("payments");
    saved.letGo();
    await expect.poll(() => words(frame), SOON).toMatch(/сохранены/);
    expect(await pageOf(frame)).toBe("payments");
  });

  it("to the erasure of a member takes no place of the page that was opened meanwhile", async () => {
    const { sandbox } = scene;
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await goTo(frame, "loyalty");
    await frame.locator("#loyalty-off button").click();
    const told = () => sandbox.call("GET", `${sandbox.base}/sandbox/solution`).then((answer) => answer.at("loyalty", "url"));
    await expect.poll(told, { timeout: 60_000 }).toMatch(/\/loyalty$/);
    await sandbox.call("POST", `${sandbox.base}/sandbox/loyalty/enrol`, { name: "Ольга Смирнова", phone: "+79990000002" });
    await goTo(frame, "members");
    await frame.locator("[data-member] a").first().click();
    const erased = await hold(page, "**/erase", "POST");
    await frame.locator("[data-action=erase]").click();
    await frame.locator("#question [value=yes]").click();
    await erased.taken;
    await goTo(frame, "payments");
    erased.letGo();
    await expect.poll(() => words(frame), SOON).toMatch(/стёрты/);
    expect([await pageOf(frame), await frame.locator("h1").textContent()]).toEqual(["payments", "Оплаты по QR"]);
  });

  it("that never comes is told of a file too, and its button works again", async () => {
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await openStore(frame);
    await frame.locator("[data-action=test-slip]").click();
    const button = frame.locator("[data-action=download-receipt]").first();
    await expect.poll(() => button.count(), SOON).toBe(1);
    await page.route("**/receipts/**", (route) => route.abort());
    await button.click();
    await expect.poll(() => words(frame), SOON).toMatch(/Файл не получен/);
    expect(await button.isDisabled()).toBe(false);
  });

  it("with an agent's code is shown, although the part was drawn anew while the question was open", async () => {
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await openStore(frame);
    await frame.locator("[name=agent]").fill("shop-7");
    await frame.locator("#agent [data-action=enrol]").click();
    await expect.poll(() => frame.locator("#agent [data-value=code]").count(), SOON).toBe(1);
    await openStore(frame);
    await frame.locator("#agent [data-action=enrol]").click();
    await frame.locator("#question[open]").waitFor();
    // Changes the version of the part, so that the next poll draws it anew.
    const polled = page.waitForResponse((response) => response.url().includes("/agent?since="));
    await frame.locator("#agent").evaluate((element) => {
      element.setAttribute("hx-get", String(element.getAttribute("hx-get")).replace(/since=.*/, "since=another"));
      element.setAttribute("data-old", "");
    });
    expect((await polled).status()).toBe(200);
    await expect.poll(() => frame.locator("#agent[data-old]").count(), SOON).toBe(0);
    await frame.locator("#question [value=yes]").click();
    await expect.poll(() => frame.locator("#agent [data-value=code]").count(), SOON).toBe(1);
  });

  it("leaves the words above the page while the agent's part is asked for again", async () => {
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await openStore(frame);
    await frame.locator("[name=place]").fill("Рынок, ряд 3");
    await frame.locator("#settings [data-action=save]").click();
    await expect.poll(() => words(frame), SOON).toMatch(/сохранены/);
    await page.waitForResponse((response) => response.url().includes("/agent?since="));
    expect(await words(frame)).toMatch(/сохранены/);
  });

  it("leaves no question and no words of before when the host shows the frame again", async () => {
    const { page, frame } = await openWindow(scene.windowOf("admin@shop"));
    await openStore(frame);
    await frame.locator("[name=place]").fill("Не сохранено");
    await frame.locator("[data-link=members]").click();
    await frame.locator("#question[open]").waitFor();
    await page.evaluate(`document.querySelector("iframe").contentWindow.postMessage({ name: "Open" }, "*")`);
    await expect.poll(() => frame.locator("#question[open]").count(), SOON).toBe(0);
    await expect.poll(() => frame.locator("main").isVisible(), SOON).toBe(true);
    expect([await pageOf(frame), await frame.locator("[name=place]").inputValue()]).toEqual(["store", "Не сохранено"]);
  });

  it("that shows no password leaves the one that was typed in its place until it is saved", async () => {
    const { frame } = await openWindow(scene.windowOf("admin@shop"));
    await openStore(frame);
    await frame.locator("[name='register.scheme']").selectOption("shtrih-m+tcp");
    await frame.locator("#register summary").click();
    const secret = frame.locator("[name='register.systemPassword']");
    await secret.fill("87654321");
    await frame.locator("[name='register.host']").fill("127.0.0.1");
    await frame.locator("[name='register.port']").fill("9");
    await frame.locator("[data-action=test-connection]").click();
    await expect.poll(() => frame.locator("[data-tried=unreachable]").count(), SOON).toBe(1);
    expect(await secret.inputValue()).toBe("87654321");
    await frame.locator("#register [data-action=save]").click();
    await frame.locator("#register [name=anyway]").click();
    await expect.poll(() => frame.locator("[name='shown.register']").inputValue(), SOON).toMatch(/systemPassword=\*\*\*/);
    expect(await secret.inputValue()).toBe("");

    await frame.locator("[name='acquirer.kind']").selectOption("tbank");
    const password = frame.locator("[name='acquirer.password']");
    await password.fill("secret-of-the-bank");
    await frame.locator("#acquirer [data-action=save]").click();
    await expect.poll(() => frame.locator("#acquirer [data-error]").count(), SOON).toBe(1);
    expect(await password.inputValue()).toBe("secret-of-the-bank");
    await frame.locator("[name='acquirer.terminalKey']").fill("T-1");
    await frame.locator("#acquirer [data-action=save]").click();
    await expect.poll(() => words(frame), SOON).toMatch(/Банк сохранён/);
    await goTo(frame, "payments");
  });
});
