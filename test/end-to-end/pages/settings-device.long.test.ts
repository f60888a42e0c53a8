import type { FrameLocator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings, WITHOUT_BROWSER } from "../../support/browser.ts";
import { shopReferences } from "../../support/sandbox-shop.ts";
import { openWindow, overflowOf, picture, SOON } from "../../support/settings-window.ts";
import { deviceHere } from "../../support/shtrih-m-device-process.ts";
import { type WindowScene, windowScene } from "../../support/window-scene.ts";

/** The page asks every 0.7 s, and a register that does not answer is given up after some seconds. */
const SEEN_WITHIN = { timeout: 60_000, interval: 100 };

describe.skipIf(WITHOUT_BROWSER !== undefined)("the settings page and a device at the end of a line", () => {
  let scene: WindowScene;
  let storeId: string;
  beforeAll(async () => {
    scene = await windowScene();
    storeId = String((await scene.sandbox.call("GET", "entity/retailstore?limit=1")).at("rows", 0, "id"));
  });
  afterAll(() => scene.close());

  const light = (frame: FrameLocator) => frame.locator("#state [data-light]").getAttribute("data-light");

  async function setUp(frame: FrameLocator, address: string): Promise<void> {
    await frame.locator(`[data-store="${storeId}"] a`).click();
    await expect.poll(() => frame.locator("body").getAttribute("data-page"), { timeout: 60_000 }).toBe("store");
    await frame.locator("[name='register.scheme']").selectOption("shtrih-m+tcp");
    const { hostname, port } = new URL(address.replace(/^[^:]+/, "http"));
    await frame.locator("[name='register.host']").fill(hostname);
    await frame.locator("[name='register.port']").fill(port);
    await frame.locator("#register [data-action=save]").click();
    await expect.poll(() => frame.locator("[data-notice]").textContent(), SEEN_WITHIN).toMatch(/решение работает|сохранена/);
    await expect.poll(() => light(frame), SEEN_WITHIN).toBe("green");
  }

  it("shows that a device is unplugged and the way out, keeps what is typed, and goes on once it is plugged in", async () => {
    const device = await deviceHere("--control", "127.0.0.1:0");
    const { page, frame, browser } = await openWindow(scene.windowOf("admin@shop"));
    await setUp(frame, device.address);
    const place = frame.locator("[name=place]");
    await place.fill("Рынок");
    await device.order({ do: "power", on: false });
    await expect.poll(() => light(frame), SEEN_WITHIN).toBe("red");
    await expect
      .poll(() => frame.locator("#state").textContent(), SEEN_WITHIN)
      .toMatch(/Нет связи с кассой[\s\S]*Проверьте питание, кабель и адрес/);
    await picture(page, "device-unplugged");
    await frame.locator("[data-action=test-connection]").click();
    await expect.poll(() => frame.locator("[data-tried=silent], [data-tried=unreachable]").count(), SEEN_WITHIN).toBe(1);
    await device.order({ do: "power", on: true });
    await expect.poll(() => light(frame), SEEN_WITHIN).toBe("green");
    expect(await place.inputValue()).toBe("Рынок");
    expect(browser.violations).toEqual([]);
  });

  it("shows a doubt with what is known of it, and takes no decision while the register is silent", async () => {
    const device = await deviceHere("--control", "127.0.0.1:0");
    const { page, frame, browser } = await openWindow(scene.windowOf("admin@shop"), { viewport: { width: 400, height: 900 } });
    await setUp(frame, device.address);
    const { sandbox } = scene;
    const shop = await shopReferences(sandbox);
    const meta = (await sandbox.call("GET", `entity/retailstore/${storeId}`)).at("meta");
    await device.order({ do: "fault", spec: "power-cut-after@FF45" });
    const shift = await sandbox.call("POST", "entity/retailshift", { organization: shop.organization, retailStore: { meta } });
    const product = (await sandbox.call("GET", "entity/product?limit=1")).at("rows", 0, "meta");
    await sandbox.call("POST", "entity/retaildemand", {
      retailShift: { meta: shift.at("meta") },
      positions: [{ assortment: { meta: product }, quantity: 1, price: 5490, vat: 10, vatEnabled: true }],
    });
    const shown = async () => {
      const operations = frame.locator("#operations");
      await operations.evaluate((element) => element.setAttribute("data-old", ""));
      await operations.locator("button").first().click();
      // What follows must meet the new part, and not the old one just before it is replaced.
      await expect.poll(() => frame.locator("#operations:not([data-old])").count(), SOON).toBe(1);
      return (await frame.locator("[data-doubt]").allTextContents()).join();
    };
    await expect.poll(shown, { timeout: 60_000, interval: 1_000 }).toMatch(/Сервер выясняет это сам/);
    await picture(page, "doubt-of-server-400");
    await expect.poll(shown, { timeout: 120_000, interval: 2_000 }).toMatch(/нужен человек[\s\S]*накопитель \d+, смена 1/);
    await expect.poll(() => frame.locator("#state").textContent(), SEEN_WITHIN).toMatch(/Что делать — в последних операциях/);
    await frame.locator("#settle button").last().click();
    await frame.locator("#question [value=yes]").click();
    await expect.poll(() => frame.locator("#settle [data-error]").textContent(), SOON).toMatch(/откуда это известно/);
    await frame.locator("#settle [name=why]").fill("ленты нет");
    await frame.locator("#settle button").last().click();
    await frame.locator("#question [value=yes]").click();
    await expect.poll(() => frame.locator("#settle [data-error]").textContent(), SEEN_WITHIN).toMatch(/не смогла ответить/);
    expect(await frame.locator("#settle [name=why]").inputValue()).toBe("ленты нет");
    expect([await overflowOf(frame), await seriousFindings(page.frames()[1]), browser.violations]).toEqual([0, [], []]);
    await picture(page, "doubt-of-person-400");
    await device.order({ do: "power", on: true });
    await expect.poll(shown, { timeout: 60_000, interval: 1_000 }).toBe("");
    expect(await frame.locator("[data-operation]").first().getAttribute("data-state")).toBe("done");
  }, 300_000);
});
