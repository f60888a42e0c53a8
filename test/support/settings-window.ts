import { mkdirSync } from "node:fs";
import type { FrameLocator, Page } from "playwright-core";
import { expect } from "vitest";
import { browserOfTest, PICTURES, type TestBrowser } from "./browser.ts";

/**
 * The time limit for a page. It answers within a second, but work of the register, such as a slip, takes longer, and so does a busy
 * machine.
 */
export const SOON = { timeout: 25_000 };

/** The platform's page with the settings page in its frame. */
export interface SettingsWindow {
  page: Page;
  frame: FrameLocator;
  browser: TestBrowser;
}

/** Opens an address in a browser with a profile of its own. The browser is closed after the test. */
export async function openWindow(address: string, options: Parameters<typeof browserOfTest>[0] = {}): Promise<SettingsWindow> {
  const browser = await browserOfTest(options);
  const page = await browser.context.newPage();
  await page.goto(address);
  return { page, frame: page.frameLocator("iframe"), browser };
}

/** Opens a section by its link in the navigation bar. Returns when the frame has the height of the section. */
export async function goTo(frame: FrameLocator, name: "stores" | "payments" | "loyalty" | "members"): Promise<void> {
  await frame.locator(`[data-link=${name}]`).click();
  await expect.poll(() => frame.locator("body").getAttribute("data-page"), SOON).toBe(name);
  // On a busy machine the platform's page sets the height later. A click meanwhile would meet another place of the platform's page.
  const height = async () => String(await frame.locator("html").evaluate("Math.ceil(document.body.getBoundingClientRect().height)"));
  const known = () => frame.owner().page().locator("body").getAttribute("data-height");
  await expect.poll(async () => (await height()) === (await known()), SOON).toBe(true);
}

/** Takes a picture of the whole page when pictures are wanted. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === "") return;
  mkdirSync(PICTURES, { recursive: true });
  const height = Number(await page.frames()[1]?.evaluate("document.body.scrollHeight"));
  await page.setViewportSize({ width: page.viewportSize()?.width ?? 1280, height: Math.min(4_000, Math.max(768, height)) });
  await page.screenshot({ caret: "initial", path: `${PICTURES}/${name}.png` });
}

/** By how many pixels the page is wider than its frame, or a part of it wider than the box around it. It must be 0. */
export async function overflowOf(frame: FrameLocator): Promise<number> {
  const widest = await frame.locator("html").evaluate(WIDEST);
  return Number(widest);
}

const WIDEST = `(() => {
  const boxes = [...document.querySelectorAll("main :not(input, select, textarea)")];
  const cutting = boxes.filter((box) => getComputedStyle(box).overflowX === "hidden");
  return Math.max(...[document.documentElement, ...cutting].map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
})()`;
