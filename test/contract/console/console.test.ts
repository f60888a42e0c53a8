import { describe, expect, it } from "vitest";
import { auditLines } from "../../../src/accounts/audit.ts";
import { consoleScene, PASSWORD } from "../../support/console-scene.ts";
import { EXTENT } from "../../support/extent.ts";
import { once } from "../../support/registers.ts";
import { saleOperation, Till } from "../../support/till.ts";

/** A till with one done sale, and one sale whose answer was lost. */
async function doubtful(fate: "made" | "not made"): Promise<Till> {
  const till = await Till.open();
  await till.openShift();
  await till.submitAndWait(saleOperation("sale-1"));
  const cut = once("receipt", { kind: "power-cut" as const });
  till.trial.inject(fate === "made" ? { after: cut } : { before: cut });
  await till.submitAndWait(saleOperation("sale-2"));
  await till.settled();
  till.trial.device.powerOn();
  return till;
}

describe("the console's door", () => {
  it("leads whoever is not logged in to the login, and back to where they wanted to go", async () => {
    const browser = (await consoleScene()).browser();
    const first = await browser.get("/operations?q=31");
    expect([first.status, first.headers.location]).toEqual([303, "/console/login?from=%2Fconsole%2Foperations%3Fq%3D31"]);
    const login = await browser.get("/login?from=%2Fconsole%2Foperations%3Fq%3D31");
    expect(login.text).toContain('data-page="login"');
    const entered = await browser.post("/login", { login: "anna", password: PASSWORD, from: "/console/operations?q=31" });
    expect([entered.status, entered.headers.location]).toEqual([303, "/console/operations?q=31"]);
    expect(entered.headers["set-cookie"]?.[0]).toMatch(/^console_session=[^;]+; Path=\/console; Max-Age=32400; HttpOnly; SameSite=Lax$/);
    expect((await browser.get("/")).status).toBe(200);
  });

  it.each([
    ["a search of a browser", `/console/operations?${new URLSearchParams({ q: "5* (x)!'~ №1" })}`],
    ["a link with an id", `/console/members?account=${encodeURIComponent("a!'()*~-._b")}`],
  ])("leads back to %s with every character that is not escaped", async (_, from) => {
    const browser = (await consoleScene()).browser();
    expect((await browser.post("/login", { login: "anna", password: PASSWORD, from })).headers.location).toBe(from);
  });

  it.each([
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/settings",
    "/console//evil.example",
    "javascript:alert(1)",
    "/console/../settings",
    "/console/%2e%2E/settings",
    "/console/..",
  ])("leads nobody to %s after the login", async (from) => {
    const browser = (await consoleScene()).browser();
    expect((await browser.post("/login", { login: "anna", password: PASSWORD, from })).headers.location).toBe("/console/");
  });

  it("tells nobody whether login or password is wrong, and stops after ten wrong ones", async () => {
    const { browser, lines } = await consoleScene();
    const guesser = browser();
    for (const login of ["anna", "nobody"]) {
      const refused = await guesser.logIn(login, "not the password");
      expect([refused.status, /data-error>([^<]*)/.exec(refused.text)?.[1]]).toEqual([401, "Логин или пароль неверен."]);
      expect(refused.text).toContain(`value="${login}"`);
      expect(refused.text).not.toContain("not the password");
    }
    for (let number = 0; number < 8; number += 1) expect((await guesser.logIn("nobody", "wrong")).status).toBe(401);
    expect((await guesser.logIn()).status).toBe(429);
    expect(lines.filter(({ level }) => level === "warn")).toHaveLength(11);
    expect(JSON.stringify(lines)).not.toContain("not the password");
  });

  it.runIf(EXTENT === "long")("is shut by wrong tries only for whoever makes them, also when all come through one proxy", async () => {
    const { browser } = await consoleScene();
    const guesser = browser().from("203.0.113.7");
    for (let number = 0; number < 10; number += 1) await guesser.logIn(`nobody-${number}`, "wrong");
    expect((await guesser.logIn()).status).toBe(429);
    expect((await browser().from("198.51.100.4").logIn()).status).toBe(303);
  });

  it("lets a browser in that has logged in before, while strangers of the same network have used up its tries", async () => {
    const { browser } = await consoleScene();
    const owner = browser().from("2001:db8:1:2::1");
    const entered = await owner.logIn();
    expect(entered.headers["set-cookie"]?.[1]).toMatch(
      /^console_browser=[^;]+; Path=\/console\/login; Max-Age=15552000; HttpOnly; SameSite=Lax$/,
    );
    const wrong = await Promise.all(
      Array.from({ length: 11 }, (_, number) =>
        browser()
          .from(`2001:db8:1:2::${number + 2}`)
          .logIn("anna", "wrong"),
      ),
    );
    expect(wrong.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect((await browser().from("2001:db8:1:2::1").logIn()).status).toBe(429);
    expect((await owner.logIn()).status).toBe(303);
    expect((await browser().from("2001:db8:1:3::1").logIn()).status).toBe(303);
  });

  it.runIf(EXTENT === "long")("lets in again after ten minutes", async () => {
    const { browser, till } = await consoleScene();
    const guesser = browser();
    for (let number = 0; number < 10; number += 1) await guesser.logIn("anna", "wrong");
    expect((await guesser.logIn()).status).toBe(429);
    for (let minute = 0; minute < 10; minute += 1) await till.trial.later(60_000);
    expect((await guesser.logIn()).status).toBe(303);
  });

  it("shuts when the working day is over, and at once behind whoever logs out", async () => {
    const { browser, till } = await consoleScene();
    const [one, other] = [browser(), browser()];
    await one.logIn();
    await other.logIn();
    const cookie = (await other.logIn()).headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    await other.post("/logout", { csrf: await other.csrf() });
    expect((await browser().get("/").set("Cookie", cookie)).status).toBe(303);
    expect((await one.get("/")).status).toBe(200);
    for (let hour = 0; hour < 9; hour += 1) await till.trial.later(3_600_000);
    expect((await one.get("/")).status).toBe(303);
  });

  it("takes no act from another site or without the page's own sign", async () => {
    const { browser, till } = await consoleScene(await doubtful("not made"));
    const person = browser();
    await person.logIn();
    const csrf = await person.csrf();
    const words = { refused: "1", why: "looked", unconfirmed: "1" };
    expect((await person.post("/operations/3/settle", { ...words, csrf }, "https://evil.example")).status).toBe(403);
    expect((await person.post("/operations/3/settle", words)).status).toBe(403);
    expect((await person.post("/operations/3/settle", { ...words, csrf: "another" })).status).toBe(403);
    expect((await person.post("/login", { login: "anna", password: PASSWORD }, "https://evil.example")).status).toBe(403);
    expect((await till.journal.get(3))?.state).toBe("in-doubt");
  });

  it("runs no script and stands in no frame", async () => {
    const browser = (await consoleScene()).browser();
    await browser.logIn();
    const { headers, text } = await browser.get("/");
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(text).not.toContain("<script");
    expect(text.match(/<h1/g)).toHaveLength(1);
    expect(text.match(/<main/g)).toHaveLength(1);
  });
});

describe("the console", () => {
  it.each([
    ["the till's number", "20"],
    ["the number in the drive", "2"],
    ["the sum", "259,20"],
    ["the id of the document", "sale-1"],
  ])("finds an operation by %s", async (_what, q) => {
    const till = await Till.open();
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
    const entry = (await till.journal.list({ documentId: "sale-1", limit: 1 }))[0];
    const browser = (await consoleScene(till)).browser();
    await browser.logIn();
    const texts: Record<string, string | undefined> = {
      "20": entry?.operation.kind === "sale" ? entry.operation.name : undefined,
      "2": entry?.facts?.kind === "fiscal" ? String(entry.facts.documentNumber) : undefined,
      "259,20": entry?.document.kind === "receipt" ? String(entry.document.totalKopecks / 100).replace(".", ",") : undefined,
    };
    const { text } = await browser.get(`/operations?q=${encodeURIComponent(texts[q] ?? q)}`);
    expect(text).toContain('data-operation="sale-1"');
  });

  it("leads from a search among operations to the same among payments, by the bank's number, and members, by the phone", async () => {
    const browser = (await consoleScene()).browser();
    await browser.logIn();
    const { text } = await browser.get(`/operations?q=${encodeURIComponent("+7 903 999-33-44")}`);
    for (const list of ["payments", "members"]) expect(text).toContain(`href="/console/${list}?q=%2B7%20903%20999-33-44"`);
  });

  it("shows first what needs a person, and the way to settle it", async () => {
    const browser = (await consoleScene(await doubtful("made"))).browser();
    await browser.logIn();
    const home = (await browser.get("/")).text;
    expect(home).toContain('data-operation="sale-2" data-state="in-doubt"');
    const { text } = await browser.get("/operations/3");
    expect(text).toContain('data-action="settle"');
    for (const name of ["number", "sign", "time", "shift", "why", "unconfirmed"]) expect(text).toContain(`name="${name}"`);
  });

  it("settles a doubt as the paper says, after the register has agreed, and writes down who did it", async () => {
    const till = await doubtful("made");
    const browser = (await consoleScene(till)).browser();
    await browser.logIn();
    const found = await till.trial.lookUp(4);
    if (found.kind !== "found" || found.facts.kind !== "fiscal") throw new Error("the drive has no document 4");
    const { documentNumber, fiscalSign, time, shiftNumber } = found.facts;
    const figures = { number: String(documentNumber), sign: fiscalSign, time, shift: String(shiftNumber) };
    const fields = { csrf: await browser.csrf(), done: "1", ...figures, why: "the paper is here" };
    const wrong = await browser.asking("/operations/3/settle", { ...fields, sign: "12345" });
    expect(wrong.status).toBe(409);
    expect(wrong.text).toMatch(/<input[^>]*name="sign"[^>]*value="12345"[^>]*aria-invalid="true"[^>]*autofocus/);
    expect(wrong.text).toMatch(/data-error>Касса говорит другое/);
    const absent = await browser.asking("/operations/3/settle", { ...fields, number: "5" });
    expect(absent.text).toMatch(/<input[^>]*name="number"[^>]*value="5"[^>]*aria-invalid="true"[^>]*autofocus/);
    expect(wrong.text).toContain(`value="${figures.number}"`);
    const right = await browser.asking("/operations/3/settle", fields);
    expect(right.status).toBe(200);
    expect(right.text).toContain("data-notice");
    expect((await till.journal.get(3))?.state).toBe("done");
    expect(await auditLines(till.store, { limit: 10 })).toMatchObject([
      { actor: "anna", place: "page", act: "settle", subject: "sale-2", before: "in-doubt", after: "done", reason: "the paper is here" },
    ]);
    const again = await browser.asking("/operations/3/settle", fields);
    expect(again.status).toBe(409);
  });

  it.each([
    [{ done: "1", sign: "1", time: "29.11.26 14:05", shift: "1", why: "seen" }, "number"],
    [{ done: "1", number: "3", sign: "x", time: "29.11.26 14:05", shift: "1", why: "seen" }, "sign"],
    [{ done: "1", number: "3", sign: "1", time: "soon", shift: "1", why: "seen" }, "time"],
    [{ refused: "1", why: " " }, "why"],
  ])("puts the focus on what is wrong of %j and keeps the rest", async (fields, name) => {
    const till = await doubtful("made");
    const browser = (await consoleScene(till)).browser();
    await browser.logIn();
    const { status, text } = await browser.post("/operations/3/settle", { csrf: await browser.csrf(), ...fields });
    expect(status).toBe(422);
    expect(new RegExp(`<input[^>]*name="${name}"[^>]*aria-invalid="true"[^>]*autofocus`).test(text)).toBe(true);
    // The words are beside the control and nowhere else, and the other form is unchanged.
    expect(text).toMatch(new RegExp(`name="${name}"[^>]*>\\s*<p class="wrong" id="[^"]*-${name}-error" data-error>[^<]+`));
    expect([text.match(/data-error/g)?.length, text.match(/aria-invalid/g)?.length]).toEqual([1, 1]);
    expect((await till.journal.get(3))?.state).toBe("in-doubt");
  });

  it("shows names with markup as text", async () => {
    const till = await Till.open();
    await till.openShift();
    const named = saleOperation("sale-1");
    await till.submitAndWait({ ...named, document: { id: "<b>1</b>", idType: "native" } });
    const browser = (await consoleScene(till)).browser();
    await browser.logIn();
    const { text } = await browser.get(`/operations?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(text).not.toContain("<script");
    expect((await browser.get("/operations")).text).not.toContain("<b>1</b>");
  });

  it("answers 404 for what is not there, and every list without rows", async () => {
    const browser = (await consoleScene()).browser();
    await browser.logIn();
    for (const path of ["/operations/999", "/operations/none", "/payments/none", "/operations/1/receipt.pdf", "/nowhere"])
      expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
    for (const list of ["operations", "payments", "members", "installations", "audit", "totals"]) {
      for (const query of ["", "?q=31", "?from=2026-02-30&to=x&page=..&state=none", "?q=%00%ff", "?from=0001-01-01&to=9999-12-31"]) {
        expect([list, query, (await browser.get(`/${list}${query}`)).status]).toEqual([list, query, 200]);
        expect([list, query, (await browser.get(`/${list}.csv${query}`)).status]).toEqual([list, query, 200]);
      }
    }
  });

  it("gives the rows of a search as a file with a mark of its encoding", async () => {
    const till = await doubtful("made");
    const browser = (await consoleScene(till)).browser();
    await browser.logIn();
    const { headers, text } = await browser.get("/operations.csv?state=done");
    expect(headers["content-disposition"]).toBe('attachment; filename="operations.csv"');
    expect(text.startsWith("\ufeffid;accepted;operation;")).toBe(true);
    const rows = text.trim().split("\r\n").slice(1);
    expect(rows.map((row) => row.split(";")[2])).toEqual(["sale", "open-shift"]);
    expect(rows[0]).toMatch(/;\d+(,\d+)?;done;3;/);
  });

  it("turns pages without showing a row twice", async () => {
    const till = await Till.open();
    await till.openShift();
    for (let number = 0; number < 60; number += 1) await till.submitAndWait(saleOperation(`sale-${number}`));
    const browser = (await consoleScene(till)).browser();
    await browser.logIn();
    const idsIn = (text: string) => [...text.matchAll(/data-operation="([^"]+)"/g)].map(([, id]) => id);
    const first = (await browser.get("/operations")).text;
    const next = /rel="next" href="\/console([^"]+)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = (await browser.get(next)).text;
    const all = [...idsIn(first), ...idsIn(second)];
    expect([idsIn(first).length, all.length, new Set(all).size]).toEqual([50, 61, 61]);
  });
});
