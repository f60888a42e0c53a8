import { describe, expect, it } from "vitest";
import { auditLines } from "../../../src/accounts/audit.ts";
import { type Browser, type ConsoleScene, consoleScene, hiddenIn } from "../../support/console-scene.ts";
import { LOYALTY_KEY } from "../../support/loyalty-bench.ts";

async function scene(): Promise<ConsoleScene & { person: Browser; id: string }> {
  const opened = await consoleScene();
  const { installations, loyalty } = opened;
  await installations.activate(LOYALTY_KEY, {}, "active");
  const enrolled = await loyalty.members.enrol(LOYALTY_KEY, {
    identity: { platformId: "anna-1", phone: "+79039993344", card: "777" },
    personal: { name: "Анна Иванова", phone: "+79039993344", card: "777" },
    isNative: true,
  });
  const person = opened.browser();
  await person.logIn();
  return { ...opened, person, id: enrolled.memberId };
}

describe("members at the console", () => {
  it.each(["+7 903 999-33-44", "777", "иванова"])("are found by %s, and lists mask who they are", async (q) => {
    const { person, id } = await scene();
    const { text } = await person.get(`/members?q=${encodeURIComponent(q)}`);
    expect(text).toContain(`data-member="${id}"`);
    expect(text).toContain("Анна И.");
    const table = text.slice(text.indexOf("<tbody>"));
    expect(table).not.toMatch(/Иванова|903999/);
    const file = (await person.get(`/members.csv?q=${encodeURIComponent(q)}`)).text;
    expect(file.trim().split("\r\n").slice(1)).toEqual([`${id};Анна И.;•••3344;active;0;0;${LOYALTY_KEY.accountId}`]);
  });

  it("grants points once, however often it is clicked, and writes down who did it and why", async () => {
    const { person, id, till } = await scene();
    const shown = (await person.get(`/members/${id}`)).text;
    expect(shown).toContain("Анна Иванова");
    const form = { csrf: hiddenIn(shown, "csrf"), seen: hiddenIn(shown, "seen"), points: "150", reason: "a late parcel" };
    expect((await person.post(`/members/${id}/grant`, form)).status).toBe(200);
    const again = await person.post(`/members/${id}/grant`, form);
    expect([again.status, again.text.includes("второй раз не записано")]).toEqual([409, true]);
    const { text } = await person.get(`/members/${id}`);
    expect(text.match(/a late parcel/g)).toHaveLength(1);
    expect(text).toContain("Начислены вручную");
    expect(await auditLines(till.store, { text: "anna", limit: 10 })).toMatchObject([
      { actor: "anna", place: "page", act: "grant", subject: id, before: "0", after: "150", reason: "a late parcel" },
    ]);
  });

  it.each([
    [{ points: "many", reason: "x" }, "points", 422],
    [{ points: "5", reason: "" }, "reason", 422],
    [{ points: "-5", reason: "x" }, "points", 409],
  ])("puts the focus on what is wrong of %j and books nothing", async (typed, name, status) => {
    const { person, id, till } = await scene();
    const csrf = hiddenIn((await person.get(`/members/${id}`)).text, "csrf");
    const answer = await person.post(`/members/${id}/grant`, { csrf, seen: "0", ...typed });
    expect(answer.status).toBe(status);
    expect(new RegExp(`<input[^>]*name="${name}"[^>]*aria-invalid="true"[^>]*autofocus`).test(answer.text)).toBe(true);
    expect(await auditLines(till.store, { text: "anna", limit: 10 })).toEqual([]);
  });

  it("erases who a member is, after the box was ticked, and keeps the history", async () => {
    const { person, id, till } = await scene();
    const csrf = hiddenIn((await person.get(`/members/${id}`)).text, "csrf");
    await person.post(`/members/${id}/grant`, { csrf, seen: "0", points: "5", reason: "gift" });
    const unsure = await person.post(`/members/${id}/erase`, { csrf, reason: "asked for it" });
    expect([unsure.status, unsure.text.includes("Анна Иванова")]).toEqual([422, true]);
    const erased = await person.post(`/members/${id}/erase`, { csrf, reason: "asked for it", sure: "1" });
    expect([erased.status, erased.text.includes("Анна"), erased.text.includes("gift")]).toEqual([200, false, true]);
    expect((await person.get("/members?q=777")).text).not.toContain(id);
    expect((await auditLines(till.store, { limit: 1 }))[0]).toMatchObject({ actor: "anna", act: "erase", reason: "asked for it" });
  });

  it("says that no points were booked for a member whom somebody has erased meanwhile", async () => {
    const { person, id, till } = await scene();
    const csrf = hiddenIn((await person.get(`/members/${id}`)).text, "csrf");
    await person.post(`/members/${id}/erase`, { csrf, reason: "asked for it", sure: "1" });
    const late = await person.post(`/members/${id}/grant`, { csrf, seen: "0", points: "5", reason: "gift" });
    expect([late.status, /data-notice data-kind="error"[^>]*>[^<]*баллы не записаны/.test(late.text)]).toEqual([409, true]);
    expect((await auditLines(till.store, { limit: 10 })).filter(({ act }) => act === "grant")).toEqual([]);
  });

  it("asks for an account where there are several, and answers 404 for nobody", async () => {
    const { person, installations } = await scene();
    await installations.activate({ appId: LOYALTY_KEY.appId, accountId: "second" }, {}, "active");
    const { text } = await person.get("/members");
    expect(text).toContain('href="/console/members?account=second"');
    expect(text).not.toContain("data-member");
    expect(text.match(/<span class="tag">программа выключена/g)).toHaveLength(2);
    expect(text).not.toContain("panel amber");
    const chosen = (await person.get("/members?account=second")).text;
    expect(chosen).toContain('<p class="panel amber">Программа аккаунта «');
    expect((await person.get("/members?account=nobody")).text).not.toMatch(/программа/i);
    expect((await person.get(`/members?account=${LOYALTY_KEY.accountId}`)).text).toContain("data-member");
    expect((await person.get("/members/nobody")).status).toBe(404);
  });

  it("are listed together when their account has two solutions, page by page without a gap or a repeat", async () => {
    const { person, installations, loyalty, id } = await scene();
    const second = { appId: "second-app", accountId: LOYALTY_KEY.accountId };
    await installations.activate(second, {}, "active");
    const ids = [id];
    for (let number = 10; number < 70; number += 1) {
      await loyalty.clock.advance(1);
      const key = number % 3 === 0 ? second : LOYALTY_KEY;
      const enrolled = await loyalty.members.enrol(key, {
        identity: { platformId: `buyer-${number}`, phone: `+790399900${number}` },
        personal: { name: `Пётр ${number}`, phone: `+790399900${number}` },
        isNative: true,
      });
      ids.push(enrolled.memberId);
    }
    const first = (await person.get("/members")).text;
    const next = /rel="next" href="\/console([^"]*)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const pages = first + (await person.get(next)).text;
    expect(Array.from(pages.matchAll(/data-member="([^"]*)"/g), ([, one]) => one)).toEqual(ids);
    const offWords = first.match(/Программа аккаунта «[^»]*» \(([^)]*)\) выключена/g);
    expect(offWords).toHaveLength(2);
    await installations.activate({ appId: LOYALTY_KEY.appId, accountId: "other" }, {}, "active");
    const choice = (await person.get("/members")).text;
    expect(choice.match(/<li data-account=/g)).toHaveLength(2);
    expect((await person.get(`/members?account=${LOYALTY_KEY.accountId}`)).text).toContain(`data-member="${id}"`);
  });

  it("found by a search that may have found more are shown with a word about it", async () => {
    const { person, loyalty } = await scene();
    const enrol = (number: number) =>
      loyalty.members.enrol(LOYALTY_KEY, {
        identity: { platformId: `buyer-${number}`, phone: `+790399900${number}` },
        personal: { name: "Пётр", phone: `+790399900${number}` },
        isNative: true,
      });
    const search = async () => (await person.get(`/members?q=${encodeURIComponent("пётр")}`)).text;
    for (let number = 10; number < 29; number += 1) await enrol(number);
    expect(await search()).not.toContain("Возможно, это не все");
    for (let number = 30; number < 32; number += 1) await enrol(number);
    expect(await search()).toContain("Возможно, это не все");
  });
});
