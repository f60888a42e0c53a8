import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allowedMs } from "../../support/hostile/yardstick.ts";
import { type WindowScene, windowScene } from "../../support/window-scene.ts";

let scene: WindowScene;
let storeId: string;
/** A hostile name, as somebody may give it to see what happens. */
const NAME = `Лавка <script>alert("1")</script>`;

beforeAll(async () => {
  scene = await windowScene();
  const { sandbox } = scene;
  storeId = String((await sandbox.call("GET", "entity/retailstore?limit=1")).at("rows", 0, "id"));
  await sandbox.call("PUT", `entity/retailstore/${storeId}`, { name: NAME });
});
afterAll(() => scene.close());

interface Session {
  session: string;
  role: string;
  expiresAt: string;
}

const proofOf = async (login: string, more = "") =>
  (await scene.sandbox.call("POST", `${scene.sandbox.base}/sandbox/context/${login}${more}`)).body as { token: string; contextKey: string };

const begin = (proof: object, appId = scene.appId) =>
  fetch(`${scene.base}/settings/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appId, ...proof }),
  });

async function sessionOf(login: string): Promise<Session & { cookie: string }> {
  const response = await begin({ token: (await proofOf(login)).token });
  expect(response.status).toBe(200);
  const cookie = response.headers.get("set-cookie") ?? "";
  return { ...((await response.json()) as Session), cookie };
}

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${scene.base}${path}`, { headers });
const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${scene.base}${path}`, { method: "POST", headers, body: new URLSearchParams(form) });
const bearer = ({ session }: Session) => ({ authorization: `Bearer ${session}`, "hx-request": "true" });
/** The value of a hidden control in a form. */
const valueIn = (markup: string, name: string) =>
  new RegExp(`name="${name.replaceAll(".", "\\.")}" value="([^"]*)"`).exec(markup)?.[1] ?? "";

describe("a window of the settings page", () => {
  it("may be framed by the platform alone, and runs its own scripts and styles and nothing inline", async () => {
    const response = await get(`/settings?appId=${scene.appId}&userLocale=ru_RU`);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect([response.status, response.headers.get("x-frame-options")]).toEqual([200, null]);
    expect(policy.split("; ").toSorted()).toEqual(
      [
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'self'",
        `frame-ancestors ${scene.sandbox.base}`,
        "img-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
      ].toSorted(),
    );
    const page = await response.text();
    expect(page).toMatch(/<html lang="ru">/);
    expect(page.match(/<h1/g)).toHaveLength(1);
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|style=| on[a-z]+=/);
    for (const [, address = ""] of page.matchAll(/(?:src|href)="(\/settings\/assets\/[^"]+)"/g)) {
      const asset = await get(address);
      expect([asset.status, asset.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    }
  });

  it("gets a session for a fresh token, whose cookie goes to this page alone, also in a frame", async () => {
    const { role, expiresAt, cookie, session } = await sessionOf("admin@shop");
    expect(role).toBe("admin");
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(29 * 60_000);
    expect(cookie.split("; ").slice(1).toSorted()).toEqual(
      [
        "HttpOnly",
        "Path=/settings",
        "Partitioned",
        "SameSite=None",
        "Secure",
        cookie.split("; ").find((part) => part.startsWith("Max-Age")),
      ].toSorted(),
    );
    expect(cookie).toContain(session);
  });

  it("gets a session for a context key too, and none for a proof that was used, is made up, or is another solution's", async () => {
    const { token, contextKey } = await proofOf("admin@shop");
    const another = await proofOf("admin@shop", "/another");
    const statuses = async (proofs: object[]) => {
      const found: number[] = [];
      for (const proof of proofs) found.push((await begin(proof)).status);
      return found;
    };
    expect(await statuses([{ contextKey }, { token }, { token }])).toEqual([200, 200, 401]);
    expect(await statuses([{ token: another.token }, { contextKey: another.contextKey }, { token: "made-up" }, {}])).toEqual([
      401, 401, 401, 401,
    ]);
    expect((await begin({ token: (await proofOf("admin@shop")).token }, "00000000-0000-4000-8000-00000000ffff")).status).toBe(401);
  });

  it("shows nothing without a session: a whole page asks for one by itself, a part is refused", async () => {
    const page = await get("/settings/stores");
    expect([page.status, (await page.text()).includes("data-store")]).toEqual([401, false]);
    const part = await get(`/settings/stores/${storeId}`, { "hx-request": "true" });
    expect([part.status, (await part.text()).length < 300]).toEqual([401, true]);
    expect((await get("/settings/stores", { authorization: "Bearer nonsense" })).status).toBe(401);
  });
});

describe("a point of sale", () => {
  it("is listed with its name as text, and nobody learns whether one of another account exists", async () => {
    const session = await sessionOf("admin@shop");
    const list = await (await get("/settings/stores", bearer(session))).text();
    expect(list).toContain(`data-store="${storeId}"`);
    expect(list).toContain("Лавка &lt;script&gt;");
    expect(list).toContain("data-missing");
    for (const path of [
      "/settings/stores/0b6ff3a0-6a0f-4f0a-9f39-3c1f0f6dffff",
      "/settings/receipts/0b6ff3a0-6a0f-4f0a-9f39-3c1f0f6dffff",
    ]) {
      expect((await get(path, bearer(session))).status).toBe(404);
    }
    const foreign = await post("/settings/stores/0b6ff3a0-6a0f-4f0a-9f39-3c1f0f6dffff", { paper: "58" }, bearer(session));
    expect(foreign.status).toBe(404);
  });

  it("is shown to everybody of the account and changed by administrators alone", async () => {
    for (const [login, role] of [
      ["seller@shop", "cashier"],
      ["worker@shop", "worker"],
    ] as const) {
      const session = await sessionOf(login);
      expect(session.role).toBe(role);
      const page = await get(`/settings/stores/${storeId}`, bearer(session));
      const markup = await page.text();
      expect([page.status, markup.includes('data-action="save"'), markup.includes("<fieldset disabled")]).toEqual([200, false, true]);
      for (const path of [`/settings/stores/${storeId}`, `/settings/stores/${storeId}/register`, `/settings/stores/${storeId}/test-slip`]) {
        expect((await post(path, { paper: "58" }, bearer(session))).status).toBe(403);
      }
    }
  });

  it("is not changed by a page of another site, which a browser would give the cookie", async () => {
    const { cookie, session } = await sessionOf("admin@shop");
    const own = { cookie: cookie.split(";", 1)[0] ?? "" };
    const page = await (await get(`/settings/stores/${storeId}`, own)).text();
    const csrf = /data-csrf="([^"]+)"/.exec(page)?.[1] ?? "";
    const path = `/settings/stores/${storeId}`;
    const form = { place: "Чужое место", "seen.place": "", "shown.place": "" };
    const statusOf = async (headers: Record<string, string>) => (await post(path, form, headers)).status;
    expect(await statusOf(own)).toBe(403);
    expect(await statusOf({ ...own, origin: scene.base })).toBe(403);
    expect(await statusOf({ ...own, origin: "https://evil.example", "x-csrf-token": csrf })).toBe(403);
    expect(await statusOf({ ...own, origin: "null", "x-csrf-token": csrf })).toBe(403);
    expect(await statusOf({ ...own, origin: scene.base, "x-csrf-token": (await sessionOf("admin@shop")).session })).toBe(403);
    expect(await statusOf({ authorization: `Bearer ${session}`, origin: "https://evil.example" })).toBe(403);
    expect(await statusOf({ ...own, origin: scene.base, "x-csrf-token": csrf })).toBe(200);
  });

  it("keeps what was typed beside a wrong value, and shows both values where somebody else was faster", async () => {
    const session = await sessionOf("admin@shop");
    const path = `/settings/stores/${storeId}`;
    const markup = await (await get(path, bearer(session))).text();
    const seen = (name: string) => ({
      [`seen.${name}`]: valueIn(markup, `seen.${name}`),
      [`shown.${name}`]: valueIn(markup, `shown.${name}`),
    });
    const wrong = await post(
      path,
      { senderEmail: "nonsense", address: "г. Образцов", ...seen("senderEmail"), ...seen("address") },
      bearer(session),
    );
    const answer = await wrong.text();
    expect(wrong.status).toBe(422);
    expect(answer).toMatch(/name="senderEmail"[^>]* value="nonsense"[^>]* aria-invalid="true"/);
    expect(answer).toContain('value="г. Образцов"');
    expect((await post(path, { address: "ул. Первая", ...seen("address") }, bearer(session))).status).toBe(200);
    const late = await post(path, { address: "ул. Вторая", ...seen("address") }, bearer(session));
    const both = await late.text();
    expect([late.status, both.includes("«ул. Первая»"), both.includes("«ул. Вторая»")]).toEqual([422, true, true]);
    expect(valueIn(both, "shown.address")).toBe("ул. Первая");
    expect((await post(path, { address: "ул. Первая", ...seen("address") }, bearer(session))).status).toBe(200);
  });
});

describe("the register of a point of sale", () => {
  it("is asked before it is saved, is saved without an answer only on demand, and never shows its passwords", async () => {
    const session = await sessionOf("admin@shop");
    const path = `/settings/stores/${storeId}/register`;
    const form = {
      "register.scheme": "shtrih-m+tcp",
      "register.host": "127.0.0.1",
      "register.port": "9",
      "register.systemPassword": "87654321",
    };
    const silent = await post(path, form, bearer(session));
    expect([silent.status, /data-tried="unreachable"/.test(await silent.text())]).toEqual([422, true]);
    const saved = await post(path, { ...form, anyway: "yes" }, bearer(session));
    const markup = await saved.text();
    expect(saved.status).toBe(200);
    const page = await (await get(`/settings/stores/${storeId}`, bearer(session))).text();
    expect(`${markup}${page}`).not.toContain("87654321");
    expect(valueIn(page, "shown.register")).toBe("shtrih-m+tcp://127.0.0.1:9?systemPassword=***");
    const again = { ...form, "register.systemPassword": "", "register.port": "10", anyway: "yes" };
    const kept = { "seen.register": valueIn(page, "seen.register"), "shown.register": valueIn(page, "shown.register") };
    expect((await post(path, { ...again, ...kept }, bearer(session))).status).toBe(200);
    const after = await (await get(`/settings/stores/${storeId}`, bearer(session))).text();
    expect(valueIn(after, "shown.register")).toBe("shtrih-m+tcp://127.0.0.1:10?systemPassword=***");
  });

  it("is shown as silent, with what to do, while the page opens within a second and the list says so too", async () => {
    const session = await sessionOf("admin@shop");
    const took: number[] = [];
    const lightIn = async () => {
      const startedMs = performance.now();
      const page = await (await get(`/settings/stores/${storeId}`, bearer(session))).text();
      took.push(performance.now() - startedMs);
      return /<section[^>]*id="state"[\s\S]*?data-light="([a-z]+)"/.exec(page)?.[1];
    };
    await expect.poll(lightIn).toBe("red");
    expect(Math.max(...took)).toBeLessThan(allowedMs(Math.max(...took), 1_000));
    const list = await (await get("/settings/stores", bearer(session))).text();
    expect(list).toMatch(new RegExp(`data-store="${storeId}"[\\s\\S]*?data-light="red">Нет связи с кассой`));
  });

  it("is named in the field that is wrong", async () => {
    const session = await sessionOf("admin@shop");
    const path = `/settings/stores/${storeId}/register/test`;
    const of = async (form: Record<string, string>) => {
      const response = await post(path, form, bearer(session));
      return [response.status, /name="([^"]+)"[^>]* aria-invalid/.exec(await response.text())?.[1]];
    };
    expect(await of({})).toEqual([422, "register.scheme"]);
    expect(await of({ "register.scheme": "shtrih-m+tcp", "register.host": "", "register.port": "7778" })).toEqual([422, "register.host"]);
    expect(await of({ "register.scheme": "shtrih-m+tcp", "register.host": "h", "register.port": "0x1" })).toEqual([422, "register.port"]);
    expect(await of({ "register.scheme": "emulator", "register.name": "" })).toEqual([422, "register.name"]);
    expect(await of({ register: "abacus:7" })).toEqual([422, "register"]);
  });

  it("ends the waiting of the installation once it is there, prints a slip that registers nothing, and shows it", async () => {
    const session = await sessionOf("admin@shop");
    const other = String((await scene.sandbox.call("GET", "entity/retailstore?limit=2")).at("rows", 1, "id"));
    const form = { "register.scheme": "emulator", "register.name": "till-1" };
    const tried = await (await post(`/settings/stores/${other}/register/test`, form, bearer(session))).text();
    expect(tried).toMatch(/data-tried="answers"[\s\S]*9999\d{12}/);
    const saved = await post(`/settings/stores/${other}/register`, { ...form, "seen.register": "", "shown.register": "" }, bearer(session));
    expect([saved.status, (await saved.text()).includes("data-missing")]).toEqual([200, false]);
    expect((await scene.sandbox.call("GET", `${scene.sandbox.base}/sandbox/solution`)).at("status")).toBe("Activated");
    const slip = await (await post(`/settings/stores/${other}/test-slip`, {}, bearer(session))).text();
    const id = /data-operation="([^"]+)" data-state="done"/.exec(slip)?.[1] ?? "";
    const receipt = await (await get(`/settings/receipts/${encodeURIComponent(id)}`, bearer(session))).text();
    expect(receipt).toContain("data-receipt");
    expect(await (await get(`/settings/stores/${other}`, bearer(session))).text()).toContain("Отчёт по требованию человека");
    const pdf = await get(`/settings/receipts/${encodeURIComponent(id)}.pdf`, bearer(session));
    expect([pdf.status, pdf.headers.get("content-type"), (await pdf.text()).slice(0, 5)]).toEqual([200, "application/pdf", "%PDF-"]);
    const state = await (await get(`/settings/stores/${other}/state`, bearer(session))).text();
    expect(state).toMatch(/data-light="green"/);
    const version = /since=([^"]+)"/.exec(state)?.[1] ?? "";
    expect((await get(`/settings/stores/${other}/state?since=${version}`, bearer(session))).status).toBe(204);
  });
});
