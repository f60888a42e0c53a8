import { describe, expect, it } from "vitest";
import { consoleScene, hiddenIn, PASSWORD } from "../../support/console-scene.ts";
import { once } from "../../support/registers.ts";
import { saleOperation, Till } from "../../support/till.ts";

/** Expects a page of this problem: the parts that every page has, and the way back. */
function expectPage(text: string, problem: string, back: string): void {
  expect(text).toMatch(/^<!doctype html>\n<html lang="(ru|en)">/);
  expect(text).toContain('data-page="problem"');
  expect(text.match(/<h1/g)).toHaveLength(1);
  expect(text.match(/<main/g)).toHaveLength(1);
  expect(text).toMatch(/<title>[^<]{5,}<\/title>/);
  expect(text).toContain(`data-problem="${problem}"`);
  expect(text).toContain(`<a class="button primary" href="${back}">`);
}

describe("a request to the console that gets no page of its own", () => {
  it.each([
    ["/nowhere", "nothing-here", 404, "/console/"],
    ["/operations/999", "nothing-here", 404, "/console/"],
    ["/operations/1/receipt.pdf", "nothing-here", 404, "/console/operations/1"],
    ["/operations/3/settle", "wrong-method", 405, "/console/operations/3"],
    ["/logout", "wrong-method", 405, "/console/"],
    ["/%ff", "nothing-here", 404, "/console/"],
    ["/members/%3Cscript%3E/x", "nothing-here", 404, "/console/members/%3Cscript%3E"],
  ])("is told so on a page with a way back: %s", async (path, problem, status, back) => {
    const browser = (await consoleScene()).browser();
    await browser.logIn();
    for (const language of ["ru", "en"]) {
      const answer = await browser.get(path).set("Accept-Language", language);
      expect(answer.status).toBe(status);
      expectPage(answer.text, problem, back);
      expect(answer.text).toContain('href="/console/operations"');
      expect(answer.text.includes('role="search"')).toBe(problem === "nothing-here");
      expect(/[а-яё]/i.test(answer.text)).toBe(language === "ru");
      expect(answer.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    }
  });

  it("is told so on a page also when it is forged or the server fails, and learns nothing of the error", async () => {
    const { browser, till, lines } = await consoleScene();
    const person = browser();
    await person.logIn();
    const forged = await person.post("/members/1/grant", { points: "5" });
    expect(forged.status).toBe(403);
    expectPage(forged.text, "forged", "/console/members/1");
    await till.store.close();
    const failed = await person.get("/operations");
    expect(failed.status).toBe(500);
    expectPage(failed.text, "fault", "/console/");
    const reason = String(lines.find(({ level }) => level === "error")?.values.reason);
    expect(reason).not.toBe("undefined");
    expect(failed.text).not.toContain(reason);
  });

  it("is told so truly when a form is too large to be read, and nothing is done", async () => {
    const { browser } = await consoleScene();
    const person = browser();
    const large = { why: "x".repeat(64 * 1024) };
    const atDoor = await person.post("/login", { login: "anna", password: "y".repeat(64 * 1024) });
    expect(atDoor.status).toBe(413);
    expectPage(atDoor.text, "too-large", "/console/");
    await person.logIn();
    const csrf = await person.csrf();
    for (const [path, back] of [
      ["/operations/3/settle", "/console/operations/3"],
      ["/payments/1/refund", "/console/payments/1"],
      ["/payments/1/settle", "/console/payments/1"],
      ["/members/1/grant", "/console/members/1"],
      ["/members/1/erase", "/console/members/1"],
      ["/agents", "/console/"],
      ["/agents/shop/accept", "/console/agents"],
      ["/logout", "/console/"],
    ] as const) {
      const answer = await person.post(path, { csrf, ...large });
      expect([path, answer.status]).toEqual([path, 413]);
      expectPage(answer.text, "too-large", back);
    }
    expect((await person.get("/")).status).toBe(200);
  });

  it("shows no sections to whoever is not logged in", async () => {
    const { text, status } = await (await consoleScene()).browser().get("/nowhere");
    expect(status).toBe(404);
    expectPage(text, "nothing-here", "/console/");
    expect(text).not.toContain("/console/operations");
  });
});

describe("a form whose session has ended", () => {
  async function ended() {
    const till = await Till.open();
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
    till.trial.inject({ before: once("receipt", { kind: "power-cut" as const }) });
    await till.submitAndWait(saleOperation("sale-2"));
    await till.settled();
    till.trial.device.powerOn();
    const scene = await consoleScene(till);
    const person = scene.browser();
    await person.logIn();
    const typed = { csrf: await person.csrf(), refused: "1", unconfirmed: "1", why: 'looked "twice" <b>' };
    for (let hour = 0; hour < 9; hour += 1) await till.trial.later(3_600_000);
    return { ...scene, person, typed };
  }

  it("comes through the login with everything typed, also past a wrong password, and is sent after a click", async () => {
    const { person, typed, till } = await ended();
    const asked = await person.post("/operations/3/settle", typed);
    expect(asked.status).toBe(401);
    expect(asked.text).toContain('data-page="login"');
    const kept = (text: string) =>
      Object.fromEntries(["kept", "kept.refused", "kept.unconfirmed"].map((name) => [name, hiddenIn(text, name)]));
    const why = { "kept.why": typed.why };
    const wrong = await person.post("/login", { login: "anna", password: "wrong", ...kept(asked.text), ...why });
    expect([wrong.status, hiddenIn(wrong.text, "kept")]).toEqual([401, "/console/operations/3/settle"]);
    expect(wrong.text).toContain('name="kept.why" value="looked &quot;twice&quot; &lt;b&gt;"');
    const entered = await person.post("/login", { login: "anna", password: PASSWORD, ...kept(wrong.text), ...why });
    expect(entered.status).toBe(200);
    expect(entered.text).toContain('<form method="post" action="/console/operations/3/settle">');
    expect(entered.text).toContain("<dd>looked &quot;twice&quot; &lt;b&gt;</dd>");
    expect((await till.journal.get(3))?.state).toBe("in-doubt");
    const sent = await person.asking("/operations/3/settle", { ...typed, csrf: hiddenIn(entered.text, "csrf") });
    expect(sent.status).toBe(200);
    expect((await till.journal.get(3))?.state).toBe("refused");
  });

  it("is kept only when it comes from a page of this server, and leads nowhere else", async () => {
    const { person, typed } = await ended();
    const foreign = await person.post("/operations/3/settle", typed, "https://evil.example");
    expect([foreign.status, foreign.headers.location, foreign.text]).toEqual([303, "/console/login", ""]);
    for (const kept of ["https://evil.example/", "//evil.example", "/settings", "/console//evil.example", "javascript:alert(1)"]) {
      const entered = await person.post("/login", { login: "anna", password: PASSWORD, kept, "kept.why": "x" });
      expect([kept, entered.status, entered.headers.location]).toEqual([kept, 303, "/console/"]);
    }
  });

  it.each([
    ["more fields than any form", Object.fromEntries(Array.from({ length: 5_000 }, (_, number) => [number.toString(36), ""]))],
    ["a longer text than any form", { why: '"'.repeat(5_000) }],
    ["a longer name than any form", { ["n".repeat(5_000)]: "" }],
  ])("is not carried when it has %s, and the page says so", async (_what, more) => {
    const { person, till } = await ended();
    const asked = await person.post("/operations/3/settle", more);
    expect([asked.status, hiddenIn(asked.text, "from")]).toEqual([401, "/console/operations/3"]);
    expect(asked.text).toContain("введите его заново");
    expect(asked.text).not.toContain('name="kept');
    expect(asked.text.length).toBeLessThan(4_096);
    const carried = {
      kept: "/console/operations/3/settle",
      ...Object.fromEntries(Object.entries(more).map(([name, value]) => [`kept.${name}`, value])),
    };
    const wrong = await person.post("/login", { login: "anna", password: "wrong", ...carried });
    expect([wrong.status, hiddenIn(wrong.text, "from")]).toEqual([401, "/console/operations/3"]);
    expect(wrong.text.length).toBeLessThan(4_096);
    const entered = await person.post("/login", { login: "anna", password: PASSWORD, ...carried });
    expect([entered.status, entered.headers.location]).toEqual([303, "/console/operations/3"]);
    expect((await till.journal.get(3))?.state).toBe("in-doubt");
  });

  it("is carried with 32 fields and with a text as long as its field takes", async () => {
    const { person } = await ended();
    const fields = Object.fromEntries(Array.from({ length: 31 }, (_, number) => [`field${number}`, "1"]));
    const asked = await person.post("/operations/3/settle", { csrf: "ended", ...fields, why: "ы".repeat(500) });
    expect([asked.status, asked.text.split('name="kept.').length - 1]).toEqual([401, 32]);
    expect(asked.text).toContain("ы".repeat(500));
  });
});

describe("a form of more fields than any form has", () => {
  const MANY = Object.fromEntries(Array.from({ length: 64 }, (_, number) => [`field${number}`, ""]));

  it("is read only in part without a session, and whole with one", async () => {
    const person = (await consoleScene(await Till.open())).browser();
    expect((await person.post("/login", { ...MANY, login: "anna", password: PASSWORD })).status).toBe(401);
    expect((await person.post("/login", { login: "anna", password: PASSWORD, ...MANY })).status).toBe(303);
    expect((await person.post("/operations/999/settle", { ...MANY, csrf: await person.csrf() })).status).toBe(404);
  });
});

describe("what a stranger sends to the login", () => {
  it.each([
    ["a login", { login: "&".repeat(20_000) }],
    ["an address to go to", { from: `/console/?q=${"&".repeat(20_000)}` }],
    ["an address of a form", { kept: `/console/?q=${"&".repeat(20_000)}`, "kept.why": "x" }],
    ["a field", { other: "&".repeat(20_000) }],
  ])("makes no long page: %s", async (_what, fields) => {
    const { browser } = await consoleScene(await Till.open());
    const wrong = await browser().post("/login", { login: "anna", password: "wrong", ...fields });
    expect(wrong.status).toBe(401);
    expect(wrong.text.length).toBeLessThan(4_096);
  });
});
