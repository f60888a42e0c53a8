import { afterAll, beforeAll, expect, it } from "vitest";
import { type WindowScene, windowScene } from "../../support/window-scene.ts";

let scene: WindowScene;
let session: string;
let storeId: string;
beforeAll(async () => {
  scene = await windowScene({ development: true });
  session = await sessionOf("admin@shop");
  storeId = String((await scene.sandbox.call("GET", "entity/retailstore?limit=1")).at("rows", 0, "id"));
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

const headersOf = (text: string) => ({ authorization: `Bearer ${text}`, "hx-request": "true" });
async function get(path: string, text = session): Promise<string> {
  return (await fetch(`${scene.base}/settings/${path}`, { headers: headersOf(text) })).text();
}
const post = (path: string, form: Record<string, string>, text = session) =>
  fetch(`${scene.base}/settings/${path}`, { method: "POST", headers: headersOf(text), body: new URLSearchParams(form) });
const count = (markup: string, part: string) => markup.split(part).length - 1;

it("a QR payment is shown with its state, and money goes back once, however often the button is clicked", async () => {
  const asked = await scene.sandbox.call("POST", `${scene.sandbox.base}/sandbox/qr`, { amount: 150_00, retailStoreId: storeId });
  const operationId = String(asked.at("operationId"));
  await expect.poll(() => get("payments")).toContain(`data-payment="${operationId}" data-state="paid"`);
  // A part can be refunded only after the till knows that the whole sum has come.
  const till = () => scene.sandbox.call("GET", `${scene.sandbox.base}/sandbox/qr/${operationId}`).then((told) => told.at("status"));
  await expect.poll(till).toBe("DONE");
  const list = await get("payments");
  expect(list).toContain("150,00");
  const address = /href="\/settings\/(payments\/[^"]+)"/.exec(list)?.[1] ?? "";
  const page = await get(address);
  expect(page).toMatch(/data-page|data-view="payment"/);
  const form = { "seen.refunds": "0", amount: "", reason: "" };

  const empty = await post(`${address}/refund`, { ...form, amount: "12,345" });
  const marked = await empty.text();
  expect([empty.status, count(marked, "data-error")]).toEqual([422, 2]);
  expect(marked).toContain('value="12,345"');
  const above = await post(`${address}/refund`, { ...form, amount: "151", reason: "вернули товар" });
  expect([above.status, (await above.text()).includes("150,00")]).toEqual([422, true]);

  const order = { ...form, amount: "50,5", reason: `вернули товар ${"щ".repeat(9_000)}` };
  const [first, second] = await Promise.all([post(`${address}/refund`, order), post(`${address}/refund`, order)]);
  expect([first.status, second.status]).toEqual([200, 200]);
  const after = await get(address);
  expect(count(after, "50,50")).toBe(1);
  const seller = await sessionOf("seller@shop");
  expect((await post(`${address}/refund`, { ...order, "seen.refunds": "1" }, seller)).status).toBe(403);
  expect(await get(address, seller)).not.toContain('data-action="refund"');
  const audit = await get(`stores/${storeId}`);
  expect(audit).toMatch(/Возврат оплаты по QR[\s\S]*150,00\u00a0₽ → 99,50\u00a0₽ · admin@shop[\s\S]*вернули товар/);
  // A reason is cut at 500 characters.
  expect(/вернули товар щ+/.exec(audit)?.[0]).toHaveLength(500);
});

it("an acquirer is set up by the fields of its own, whose secrets are never shown again, and its notification address to administrators alone", async () => {
  const path = `stores/${storeId}/acquirer`;
  const missing = await post(path, { "acquirer.kind": "tbank", "acquirer.terminalKey": "T-1", "acquirer.password": "" });
  const marked = await missing.text();
  expect(missing.status).toBe(422);
  expect(marked).toMatch(/name="acquirer\.password"[^>]*aria-invalid="true"/);
  expect(marked).toContain('value="T-1"');
  const saved = await post(path, { "acquirer.kind": "tbank", "acquirer.terminalKey": "T-1", "acquirer.password": "s&e=c%ret" });
  const markup = await saved.text();
  expect(saved.status).toBe(200);
  const version = /name="seen\.acquirer" value="([^"]*)"/.exec(markup)?.[1] ?? "";
  const shown = /name="shown\.acquirer" value="([^"]*)"/.exec(markup)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(shown).toBe("tbank?terminalKey=T-1&password=***");
  expect(`${markup}${await get(`stores/${storeId}`)}`).not.toMatch(/s&amp;e|s%26e/);
  const kept = { "seen.acquirer": version, "shown.acquirer": shown, "acquirer.kind": "tbank", "acquirer.password": "" };
  const again = await post(path, { ...kept, "acquirer.terminalKey": "T-2" });
  expect([again.status, (await again.text()).includes("terminalKey=T-2&amp;password=***")]).toEqual([200, true]);
  const late = await post(path, { ...kept, "acquirer.terminalKey": "T-3" });
  expect([late.status, (await late.text()).includes("T-2")]).toEqual([422, true]);
  const now = /name="seen\.acquirer" value="([^"]*)"/.exec(await get(`stores/${storeId}`))?.[1] ?? "";
  const simulated = await post(path, { "acquirer.kind": "simulated", "seen.acquirer": now });
  expect([simulated.status, /\/hooks\/simulated\/[\w-]{16,}/.test(await simulated.text())]).toEqual([200, true]);
  expect(await get(`stores/${storeId}`, await sessionOf("seller@shop"))).not.toContain("/hooks/");
});
