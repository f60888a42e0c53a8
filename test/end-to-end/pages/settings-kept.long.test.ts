import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserOfTest, WITHOUT_BROWSER } from "../../support/browser.ts";
import { goTo, openWindow, SOON } from "../../support/settings-window.ts";
import { type WindowScene, windowScene } from "../../support/window-scene.ts";

describe.skipIf(WITHOUT_BROWSER !== undefined)("what somebody has before them on the settings page", () => {
  let scene: WindowScene;
  beforeAll(async () => {
    scene = await windowScene({ development: true });
  });
  afterAll(() => scene.close());

  async function typing() {
    const opened = await openWindow(scene.windowOf("admin@shop"));
    const { frame } = opened;
    await frame.locator("[data-store] a").first().click();
    await expect.poll(() => frame.locator("body").getAttribute("data-page"), SOON).toBe("store");
    await frame.locator("[name=place]").fill("Рынок");
    await frame.locator("[name=paper]").selectOption("58");
    return opened;
  }

  it("is seen by nobody while the platform has not said who sits before a kept frame now, and nothing typed is lost", async () => {
    const { page, frame } = await typing();
    const main = frame.locator("#main");
    await page.route("**/settings/session", (route) => route.fulfill({ status: 401 }));
    const open = () => page.evaluate("document.querySelector('iframe').contentWindow.postMessage('Open', '*')");
    await open();
    await expect.poll(() => frame.locator("[data-notice]").getAttribute("data-kind"), SOON).toBe("error");
    expect(await main.isVisible()).toBe(false);
    await page.unroute("**/settings/session");
    await open();
    await expect.poll(() => main.isVisible(), SOON).toBe(true);
    expect(await frame.locator("[name=place]").inputValue()).toBe("Рынок");
  });

  it("stays as it was typed when its part of the page is drawn anew, unless somebody else has changed it meanwhile", async () => {
    const { frame } = await typing();
    const anew = async () => {
      const form = frame.locator("#settings form");
      await form.evaluate((element) => element.setAttribute("data-old", ""));
      const address = await form.evaluate((element) => element.getAttribute("hx-post"));
      await frame.locator("body").evaluate(`window.htmx.ajax("GET", "${address}", { target: "#main", swap: "innerHTML" })`);
      await expect.poll(() => frame.locator("#settings form:not([data-old])").count(), SOON).toBe(1);
      return [await frame.locator("[name=place]").inputValue(), await frame.locator("[name=paper]").inputValue()];
    };
    expect(await anew()).toEqual(["Рынок", "58"]);
    const other = await openWindow(scene.windowOf("admin@shop"));
    await other.frame.locator("[data-store] a").first().click();
    await other.frame.locator("[name=place]").fill("Павильон");
    await other.frame.locator("#settings [data-action=save]").click();
    await expect.poll(() => other.frame.locator("[data-notice]").getAttribute("data-kind"), SOON).toBe("done");
    expect(await anew()).toEqual(["Павильон", ""]);
  });

  it("is the page that was asked for last, however late the answer for an earlier one comes", async () => {
    const browser = await browserOfTest();
    const page = await browser.context.newPage();
    const held = new Map<string, () => void>();
    const hold = (section: string) =>
      page.route(`**/settings/${section}`, async (route) => {
        await new Promise<void>((resolve) => held.set(section, resolve));
        await route.continue();
      });
    const answerLate = async (section: string) => {
      await expect.poll(() => held.has(section), SOON).toBe(true);
      const answered = page.waitForResponse((response) => response.url().endsWith(`/settings/${section}`));
      held.get(section)?.();
      await (await answered).finished();
      await page.waitForTimeout(300);
    };
    await hold("stores");
    await page.goto(scene.windowOf("admin@shop"));
    const frame = page.frameLocator("iframe");
    await expect.poll(() => held.has("stores"), SOON).toBe(true);
    await goTo(frame, "payments");
    await answerLate("stores");
    expect(await frame.locator("body").getAttribute("data-page")).toBe("payments");
    await hold("loyalty");
    await frame.locator("[data-link=loyalty]").click();
    await goTo(frame, "members");
    await answerLate("loyalty");
    expect(await frame.locator("body").getAttribute("data-page")).toBe("members");
    expect(await frame.locator("#main [data-view]").getAttribute("data-view")).toBe("members");
  });
});
