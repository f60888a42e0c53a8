import { afterAll, beforeAll, expect, it } from "vitest";
import { type WindowScene, windowScene } from "../../support/window-scene.ts";

let scene: WindowScene;
let session: string;
beforeAll(async () => {
  scene = await windowScene({ development: true });
  session = await sessionOf("admin@shop");
});
afterAll(() => scene.close());

async function sessionOf(login: string): Promise<string> {
  const opened = await scene.sandbox.call("POST", `${scene.sandbox.base}/sandbox/context/${login}`);
  const begun = await fetch(`${scene.base}/settings/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appId: scene.appId, token: opened.at("token") }),
  });
  return ((await begun.json()) as { session: string }).session;
}

type Form = Record<string, string>;

const headersOf = (text: string) => ({ authorization: `Bearer ${text}`, "hx-request": "true" });
const get = async (path: string, text = session) => (await fetch(`${scene.base}/settings/${path}`, { headers: headersOf(text) })).text();
async function post(path: string, form: Form = {}, text = session): Promise<{ status: number; markup: string }> {
  const body = new URLSearchParams(form);
  const response = await fetch(`${scene.base}/settings/${path}`, { method: "POST", headers: headersOf(text), body });
  return { status: response.status, markup: await response.text() };
}

/** The form of a page as a browser would send it. */
function formIn(markup: string): Form {
  const form: Form = {};
  for (const [, attributes = ""] of markup.matchAll(/<input ([^>]*)>/g)) {
    const name = /name="([^"]*)"/.exec(attributes)?.[1] ?? "";
    if (attributes.includes('type="checkbox"') && !attributes.includes(" checked")) continue;
    form[name] = (/value="([^"]*)"/.exec(attributes)?.[1] ?? "").replaceAll("&amp;", "&");
  }
  for (const [, name = "", options = ""] of markup.matchAll(/<select [^>]*?name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
    form[name] = /<option value="([^"]*)" selected/.exec(options)?.[1] ?? /<option value="([^"]*)"/.exec(options)?.[1] ?? "";
  }
  return form;
}

const invalid = (markup: string) => [...markup.matchAll(/name="([^"]+)"[^>]*aria-invalid="true"/g)].map(([, name]) => name);

it("a programme is typed as a form, kept version by version, and nobody overwrites what somebody else has set meanwhile", async () => {
  const page = await get("loyalty");
  expect(page).toContain('id="loyalty-off"');
  expect(await get("members")).toContain('id="loyalty-off"');
  const form = formIn(page);
  expect(form).toMatchObject({ "seen.version": "0", earnPercent: "5", neverBlockSales: "yes", "expiry.kind": "never" });

  const wrong = await post("loyalty", { ...form, name: "Друзья <b>", earnPercent: "105", "spend.step": "0" });
  expect([wrong.status, invalid(wrong.markup)]).toEqual([422, ["earnPercent", "spend.step"]]);
  expect(wrong.markup).toMatch(/value="Друзья &lt;b&gt;"[\s\S]*value="105"/);
  const early = { "activation.kind": "days", "activation.days": "30", "expiry.kind": "days", "expiry.days": "14" };
  const contradiction = await post("loyalty", { ...form, ...early });
  expect([contradiction.status, invalid(contradiction.markup)]).toEqual([422, ["expiry.days"]]);
  expect(contradiction.markup).toContain("Баллы сгорят раньше");

  const saved = await post("loyalty", { ...form, name: "Друзья", earnPercent: "7,5", "spend.leastMoneyRoubles": "10,50" });
  expect(saved.status).toBe(200);
  expect(formIn(await get("loyalty"))).toMatchObject({
    "seen.version": "1",
    name: "Друзья",
    earnPercent: "7,5",
    "spend.leastMoneyRoubles": "10,50",
  });
  const late = await post("loyalty", { ...form, earnPercent: "3" });
  expect([late.status, late.markup.includes("data-overtaken")]).toEqual([422, true]);
  expect(late.markup).toMatch(/Начислять, % от покупки: стало «7,5», у вас «3»/);
  expect(formIn(await get("loyalty"))).toMatchObject({ "seen.version": "1", earnPercent: "7,5" });
  expect((await post("loyalty", formIn(late.markup))).status).toBe(200);
  expect(formIn(await get("loyalty"))).toMatchObject({ "seen.version": "2", name: "", earnPercent: "3" });
  expect(await get("stores/*")).toMatch(/Программа лояльности, версия[\s\S]*1 → 2 · admin@shop/);
});

it("tiers and rules are added and taken away, tried on a sample that stores nothing, and readers change nothing", async () => {
  const page = formIn(await get("loyalty"));
  const tier = await post("loyalty/form?add=tiers", page);
  const rule = await post("loyalty/form?add=rules", { ...formIn(tier.markup), "tiers.0.name": "Золото", "tiers.0.percent": "10" });
  const typed: Form = { ...formIn(rule.markup), "rules.0.value": "20", "rules.0.when.tier": "Золото", "rules.0.when.products": "goods-1" };
  const second = formIn((await post("loyalty/form?add=rules", typed)).markup);
  expect(second).toMatchObject({ "rules.0.when.products": "goods-1", "rules.1.id": "Правило 2" });
  const incomplete = await post("loyalty/preview", second);
  expect([incomplete.status, invalid(incomplete.markup)]).toEqual([422, ["rules.1.value"]]);

  const hours = { ...second, "rules.1.effect": "points", "rules.1.value": "5", "rules.1.when.hours": "25" };
  const refused = await post("loyalty/preview", hours);
  expect([refused.status, invalid(refused.markup)]).toEqual([422, ["rules.1.when.hours"]]);
  const sample = { "sample.tier": "Золото", "sample.lines.0.price": "1000", "sample.lines.0.goods": "goods-1" };
  const previewed = await post("loyalty/preview", {
    ...hours,
    ...sample,
    "rules.1.when.hours": "",
    "rules.1.when.leastTotalRoubles": "5000",
  });
  expect(previewed.status).toBe(200);
  const words = previewed.markup.replaceAll(/<[^>]+>|&nbsp;|\u00a0/g, " ").replaceAll(/\s+/g, " ");
  expect(words).toMatch(
    /Скидка 200,00 ₽ .*К оплате 800,00 ₽ Начислено баллов 80 .*Правило 1 сработало .*Правило 2 нет нужна сумма 5000\.00/,
  );
  expect(formIn(await get("loyalty"))).toMatchObject({ "seen.version": "2" });

  const removed = formIn((await post("loyalty/form?remove=rules.0", { ...hours, "rules.1.when.hours": "" })).markup);
  expect([removed["rules.0.effect"], removed["rules.1.id"]]).toEqual(["points", undefined]);
  expect((await post("loyalty", removed)).status).toBe(200);
  expect(formIn(await get("loyalty"))).toMatchObject({ "tiers.0.name": "Золото", "tiers.0.percent": "10", "rules.0.value": "5" });

  const worker = await sessionOf("worker@shop");
  expect(await get("loyalty", worker)).not.toMatch(/data-action=/);
  for (const path of ["loyalty", "loyalty/form", "loyalty/preview", "loyalty/on", "loyalty/off"])
    expect((await post(path, removed, worker)).status).toBe(403);
  expect((await post("loyalty/on")).markup).toContain('id="loyalty-on"');
  expect((await post("loyalty/off")).markup).toContain('id="loyalty-off"');
  expect(await get("members")).toContain('id="loyalty-off"');
});
