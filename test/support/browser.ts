import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { type BrowserContext, chromium, type Frame } from "playwright-core";
import { onTestFinished } from "vitest";

/** The browser that CHROMIUM names, otherwise Debian's. */
const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Why browser tests cannot run here. Undefined: they can. With REQUIRE_ALL they always run, and then fail. */
export const WITHOUT_BROWSER =
  process.env.REQUIRE_ALL === "1" || existsSync(EXECUTABLE) ? undefined : `there is no ${EXECUTABLE}: install chromium or set CHROMIUM`;

/** The folder for pictures of every page and state, for a person who looks at them after a run. Empty: no pictures are made. */
export const PICTURES = process.env.PICTURES ?? "";

/** The browser loads only what the test asks for, and stores nothing. */
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Names that the browser resolves to this machine. Two names count as two sites, but two ports do not. */
const HOSTS = "MAP *.test 127.0.0.1";

/** What is printed of a page after a failed test, and how long it is waited for. */
const MAX_PRINTED = 3_000;
const TEXT_LIMIT_MS = 5_000;

interface BrowserOptions {
  /** Refuses the cookies of a frame of another site. */
  withoutThirdPartyCookies?: boolean;
  viewport?: { width: number; height: number };
  colorScheme?: "light" | "dark";
  locale?: string;
  /** Runs no scripts of pages. */
  withoutScript?: boolean;
}

export interface TestBrowser {
  context: BrowserContext;
  /** Violations of a content policy, on all pages so far. */
  violations: string[];
  close(): Promise<void>;
}

/** A browser for one test, with a profile of its own. After a failed test it prints what its pages show. */
export async function browserOfTest(options: BrowserOptions = {}): Promise<TestBrowser> {
  const browser = await openBrowser(options);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") await printPages(browser.context);
    await browser.close();
  });
  return browser;
}

/** Prints the addresses and the beginnings of the texts of all pages and frames. */
async function printPages(context: BrowserContext): Promise<void> {
  for (const frame of context.pages().flatMap((page) => page.frames())) {
    const text = await frame.textContent("body", { timeout: TEXT_LIMIT_MS }).catch((error: unknown) => String(error));
    process.stderr.write(`${frame.url()}\n${(text ?? "").slice(0, MAX_PRINTED)}\n\n`);
  }
}

async function openBrowser(options: BrowserOptions = {}): Promise<TestBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "fiscal-browser-"));
  const { withoutThirdPartyCookies = false, withoutScript = false } = options;
  const { viewport = { width: 1280, height: 900 }, colorScheme = "light", locale = "ru-RU" } = options;
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    args: [...ARGUMENTS, `--host-resolver-rules=${HOSTS}`, ...(withoutThirdPartyCookies ? ["--test-third-party-cookie-phaseout"] : [])],
    viewport,
    colorScheme,
    locale,
    javaScriptEnabled: !withoutScript,
    acceptDownloads: true,
  });
  const violations: string[] = [];
  await context.exposeFunction("tellViolation", (words: string) => void violations.push(words));
  await context.addInitScript({
    content: `document.addEventListener("securitypolicyviolation", (event) =>
      window.tellViolation(event.violatedDirective + " " + event.blockedURI + " on " + location.href));`,
  });
  await context.addInitScript({ content: axe.source });
  return {
    context,
    violations,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** The serious findings of axe about the accessibility of the page in a frame. */
export async function seriousFindings(frame: Frame | null | undefined): Promise<string[]> {
  const found = (await frame?.evaluate("axe.run(document, { resultTypes: ['violations', 'passes'] })")) as axe.AxeResults | undefined;
  if (found === undefined || found.passes.length === 0) throw new Error("axe has looked at nothing");
  const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
