import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings, WITHOUT_BROWSER } from "../../support/browser.ts";
import { goTo, openWindow, overflowOf, picture, SOON } from "../../support/settings-window.ts";
import { type WindowScene, windowScene } from "../../support/window-scene.ts";

describe.skipIf(WITHOUT_BROWSER !== undefined)("loyalty on the settings page, in the platform's frame", () => {
  let scene: WindowScene;
  beforeAll(async () => {
    scene = await windowScene({ development: true });
  });
  afterAll(() => scene.close());

  const storedPercent = async () => {
    const { frame } = await openWindow(scene.windowOf("worker@shop"));
    await goTo(frame, "loyalty");
    return frame.locator("[name=earnPercent]").inputValue();
  };

  it("takes a programme from a wrong form over a sample to the programme in force, with every word that was typed kept", async () => {
    const { page, frame, browser } = await openWindow(scene.windowOf("admin@shop"));
    await goTo(frame, "members");
    await frame.locator("#loyalty-off button").click();
    await expect.poll(() => frame.locator("#loyalty-on").count(), SOON).toBe(1);
    await goTo(frame, "loyalty");
    await picture(page, "loyalty-default-1280");
    await frame.locator("[name=name]").fill("Друзья магазина");
    await frame.locator("[name=earnPercent]").fill("много");
    await frame.locator("[data-action=save]").click();
    const percent = frame.locator("[name=earnPercent]");
    await expect.poll(() => percent.getAttribute("aria-invalid"), SOON).toBe("true");
    await expect.poll(() => percent.evaluate((element) => element.matches(":focus")), SOON).toBe(true);
    expect(await frame.locator("[data-error]").allTextContents()).toEqual([expect.stringMatching(/От 0 до 100/)]);
    expect([await frame.locator("[name=name]").inputValue(), await percent.inputValue()]).toEqual(["Друзья магазина", "много"]);
    await picture(page, "loyalty-wrong-1280");
    await percent.fill("7,5");

    await frame.locator("[name='expiry.kind']").selectOption("days");
    await frame.locator("[name='expiry.days'][type=text]").fill("365");
    await frame.locator("#add-tiers").click();
    await frame.locator("[name='tiers.0.name']").fill("Золото");
    await frame.locator("[name='tiers.0.fromRoubles']").fill("30000");
    await frame.locator("#add-rules").click();
    await frame.locator("[name='rules.0.id']").fill("Скидка выходного дня");
    await frame.locator("[name='rules.0.value']").fill("10");
    await frame.locator("[name='rules.0.effect']").selectOption("points");
    await expect.poll(() => frame.locator("#field-rules-0-value-hint").textContent(), SOON).toMatch(/Целое число баллов/);
    expect(await frame.locator("[name='rules.0.id']").inputValue()).toBe("Скидка выходного дня");
    expect(await frame.locator("#item-rules-0").getAttribute("open")).toBe("");
    await frame.locator("[data-action=preview]").click();
    await expect
      .poll(() => frame.locator("[data-preview]").textContent(), SOON)
      .toMatch(/1.000,00[\s\S]*Начислено баллов[\s\S]*85[\s\S]*сработало/);
    await picture(page, "loyalty-preview-1280");
    expect(await storedPercent()).toBe("5");
    await frame.locator("[data-action=save]").click();
    await expect.poll(() => frame.locator("[data-notice]").textContent(), SOON).toMatch(/Программа сохранена/);
    expect(await storedPercent()).toBe("7,5");
    expect(browser.violations).toEqual([]);
  });

  it("shows what somebody else has set meanwhile beside what was typed, and overwrites nothing", async () => {
    const [first, second] = [await openWindow(scene.windowOf("admin@shop")), await openWindow(scene.windowOf("admin@shop"))];
    for (const { frame } of [first, second]) await goTo(frame, "loyalty");
    await first.frame.locator("[name='spend.sharePercent']").fill("30");
    await first.frame.locator("[data-action=save]").click();
    await expect.poll(() => first.frame.locator("[data-notice]").textContent(), SOON).toMatch(/Программа сохранена/);
    await second.frame.locator("[name='spend.sharePercent']").fill("99");
    await second.frame.locator("[data-action=save]").click();
    await expect.poll(() => second.frame.locator("[data-overtaken]").textContent(), SOON).toMatch(/стало «30», у вас «99»/);
    await picture(second.page, "loyalty-overtaken-1280");
    await second.frame.locator("[data-overtaken] a").click();
    await expect.poll(() => second.frame.locator("[name='spend.sharePercent']").inputValue(), SOON).toBe("30");
  });

  it.each([
    ["light", 400],
    ["dark", 1280],
  ] as const)(
    "keeps nobody from using it, as far as axe can tell, in %s colours at %i pixels",
    async (colorScheme, width) => {
      const { page, frame, browser } = await openWindow(scene.windowOf("admin@shop"), { colorScheme, viewport: { width, height: 900 } });
      await goTo(frame, "loyalty");
      for (const list of ["tiers", "rules"]) {
        const shown = await frame.locator("details.item").count();
        await frame.locator(`#add-${list}`).click();
        await expect.poll(() => frame.locator("details.item").count(), SOON).toBe(shown + 1);
      }
      await frame.locator("[data-action=preview]").click();
      await expect.poll(() => frame.locator("[aria-invalid=true]").count(), SOON).toBe(1);
      expect(await seriousFindings(page.frames()[1])).toEqual([]);
      expect(await overflowOf(frame)).toBe(0);
      await picture(page, `loyalty-${colorScheme}-${width}`);
      await frame.locator("[data-link=members]").click();
      await frame.locator("#question button[value=yes]").click();
      await expect.poll(() => frame.locator("body").getAttribute("data-page"), SOON).toBe("members");
      expect(await seriousFindings(page.frames()[1])).toEqual([]);
      expect(browser.violations).toEqual([]);
    },
    90_000,
  );
});
