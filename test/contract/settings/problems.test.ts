import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type WindowScene, windowScene } from "../../support/window-scene.ts";

let scene: WindowScene;
const opened = new Map<string, { session: string; cookie: string }>();
beforeAll(async () => {
  scene = await windowScene();
  for (const language of ["ru", "en"]) opened.set(language, await open("admin@shop", language));
});
afterAll(() => scene.close());

async function open(login: string, language: string): Promise<{ session: string; cookie: string }> {
  const proof = await scene.sandbox.call("POST", `${scene.sandbox.base}/sandbox/context/${login}`);
  const begun = await fetch(`${scene.base}/settings/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appId: scene.appId, token: proof.at("token"), language }),
  });
  return { ...((await begun.json()) as { session: string }), cookie: begun.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${scene.base}/settings/${path}`, { method, headers });
const sessionIn = (language: string) => opened.get(language) ?? { session: "", cookie: "" };

it.each(["ru", "en"])(
  "an address of the frame without a page is answered with a page in the language of the session: %s",
  async (language) => {
    const { cookie } = sessionIn(language);
    for (const [path, status] of [
      ["nowhere", 404],
      ["stores/another", 404],
      ["payments/none", 404],
      ["members/none", 404],
      ["loyalty/on", 405],
    ] as const) {
      const answer = await ask(path, { cookie });
      const text = await answer.text();
      expect([path, answer.status]).toEqual([path, status]);
      expect(text).toMatch(new RegExp(`^<!doctype html>\n<html lang="${language}">`));
      expect(text).toContain('<body data-page="problem"');
      expect(text).toContain(`data-app="${scene.appId}"`);
      expect([text.match(/<h1/g)?.length, text.match(/<main/g)?.length]).toEqual([1, 1]);
      expect(text).toContain('<a href="/settings/stores" class="back"');
      expect(/[а-яё]/i.test(text)).toBe(language === "ru");
      expect(answer.headers.get("content-security-policy")).toContain(`frame-ancestors ${scene.sandbox.base}`);
    }
  },
);

it.each(["ru", "en"])("a part of the frame that cannot be had says why in the language of the session: %s", async (language) => {
  const { session } = sessionIn(language);
  const proved = { authorization: `Bearer ${session}`, "hx-request": "true" };
  const whole = await (await ask("stores/another", { ...proved, "hx-target": "main#main" })).text();
  expect(whole).toMatch(/^<div class="view" data-view="problem" data-title="[^"]+">/);
  const part = await (await ask("stores/another/operations", { ...proved, "hx-target": "section#operations" })).text();
  expect(part).toMatch(/^<div class="panel red" data-problem="nothing-here">/);
  const forged = await ask("loyalty/on", { cookie: sessionIn(language).cookie, origin: "https://evil.example" }, "POST");
  expect([forged.status, forged.headers.get("x-problem")]).toEqual([403, "forged"]);
  const nobody = await ask("stores", { "hx-request": "true", "accept-language": language });
  expect(nobody.status).toBe(401);
  const unconfirmed = await fetch(`${scene.base}/settings/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "accept-language": language },
    body: JSON.stringify({ appId: scene.appId, token: "invented" }),
  });
  expect(unconfirmed.status).toBe(401);
  for (const text of [whole, part, await forged.text(), await nobody.text(), await unconfirmed.text()])
    expect([text, /[а-яё]/i.test(text)]).toEqual([text, language === "ru"]);
});

it.each(["ru", "en"])("what is typed wrongly is refused beside its control, in the language of the session: %s", async (language) => {
  const { session } = sessionIn(language);
  const headers = { authorization: `Bearer ${session}`, "hx-request": "true" };
  const store = String((await scene.sandbox.call("GET", "entity/retailstore?limit=1")).at("rows", 0, "id"));
  await (await ask("stores", headers)).text();
  const post = async (path: string, form: Record<string, string>) => {
    const answer = await fetch(`${scene.base}/settings/stores/${store}/${path}`, {
      method: "POST",
      headers,
      body: new URLSearchParams(form),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const refused = [
    await post("acquirer", { "acquirer.kind": "yookassa", "acquirer.shopId": "no digits", "acquirer.secretKey": "x" }),
    await post("acquirer", { "acquirer.kind": "tbank", "acquirer.terminalKey": "", "acquirer.password": "" }),
    await post("acquirer", { "acquirer.kind": "another" }),
    await post("register", { register: "unknown:somewhere" }),
    await post("register", { register: "shtrih-m+tcp://:99999" }),
    await post("register/test", { "register.scheme": "shtrih-m", "register.port": "/dev/none nowhere" }),
    await post("register", { "register.scheme": "shtrih-m+tcp", "register.host": "a b", "register.port": "7778" }),
  ];
  for (const { status, text } of refused) {
    expect([status, /data-error/.test(text)]).toEqual([422, true]);
    const words = [...text.matchAll(/data-error>([^<]*)</g)].map(([, one]) => one ?? "");
    for (const one of words) expect([one, /[а-яё]/i.test(one)]).toEqual([one, language === "ru"]);
  }
  expect(refused[0]?.text).toMatch(/name="acquirer.shopId"[^>]*aria-invalid="true"/);
});

it("a session begins only for a page of this server, so that no site puts one of its choice into a browser", async () => {
  const proof = await scene.sandbox.call("POST", `${scene.sandbox.base}/sandbox/context/admin@shop`);
  const begin = (origin: string) =>
    fetch(`${scene.base}/settings/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ appId: scene.appId, token: proof.at("token") }),
    });
  for (const origin of ["https://evil.example", "null", scene.sandbox.base]) {
    const refused = await begin(origin);
    expect([origin, refused.status, refused.headers.get("set-cookie")]).toEqual([origin, 403, null]);
  }
  expect((await begin(scene.base)).status).toBe(200);
});

it("proofs that one network invents are refused before they keep the platform from being asked by others", async () => {
  const behind = await windowScene({ proxies: "127.0.0.0/8" });
  onTestFinished(() => behind.close());
  const begin = (token: string, source: string) =>
    fetch(`${behind.base}/settings/session`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": source },
      body: JSON.stringify({ appId: behind.appId, token }),
    });
  const invented = await Promise.all(Array.from({ length: 70 }, (_, number) => begin(`invented-${number}`, "2001:db8:7::1")));
  expect(new Set(invented.map(({ status }) => status))).toEqual(new Set([401]));
  const proof = await behind.sandbox.call("POST", `${behind.sandbox.base}/sandbox/context/admin@shop`);
  expect((await begin(String(proof.at("token")), "2001:db8:8::1")).status).toBe(200);
});

it.each(["ru", "en"])("a form that cannot be read is refused with true words, in the language of the session: %s", async (language) => {
  const { session, cookie } = sessionIn(language);
  const headers = { authorization: `Bearer ${session}`, "hx-request": "true" };
  const store = String((await scene.sandbox.call("GET", "entity/retailstore?limit=1")).at("rows", 0, "id"));
  const large = new URLSearchParams({ why: "x".repeat(64 * 1024) });
  const programme = new URLSearchParams({ name: "x".repeat(8 * 1024 * 1024) });
  const json = { ...headers, "content-type": "application/json" };
  for (const [path, sent, body, status, problem] of [
    [`stores/${store}`, headers, large, 413, "too-large"],
    [`stores/${store}/register`, headers, large, 413, "too-large"],
    [`stores/${store}/register/test`, headers, large, 413, "too-large"],
    [`stores/${store}/acquirer`, headers, large, 413, "too-large"],
    [`stores/${store}/operations/1/settle`, headers, large, 413, "too-large"],
    ["payments/none/refund", headers, large, 413, "too-large"],
    ["members/none/grant", headers, large, 413, "too-large"],
    ["loyalty", headers, programme, 413, "too-large"],
    [`stores/${store}/register`, json, "{}", 415, "wrong-type"],
    ["members/none/grant", json, "{}", 415, "wrong-type"],
  ] as const) {
    const answer = await fetch(`${scene.base}/settings/${path}`, { method: "POST", headers: sent, body });
    const text = await answer.text();
    expect([path, answer.status, answer.headers.get("x-problem")]).toEqual([path, status, problem]);
    expect(text).toMatch(
      new RegExp(`^<div class="panel red" data-problem="${problem}"><strong>[^<]+</strong><span class="ink">[^<]+</span>`),
    );
    expect([path, /[а-яё]/i.test(text)]).toEqual([path, language === "ru"]);
  }
  // A caller without a session, or from another site, learns nothing of this.
  const stranger = await fetch(`${scene.base}/settings/stores/${store}`, {
    method: "POST",
    headers: { "hx-request": "true" },
    body: large,
  });
  expect(stranger.status).toBe(401);
  const forged = { cookie, origin: "https://evil.example", "hx-request": "true" };
  expect((await fetch(`${scene.base}/settings/stores/${store}`, { method: "POST", headers: forged, body: large })).status).toBe(403);
});
