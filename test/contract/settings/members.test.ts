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

const headersOf = (text: string) => ({ authorization: `Bearer ${text}`, "hx-request": "true" });
const get = async (path: string, text = session) => (await fetch(`${scene.base}/settings/${path}`, { headers: headersOf(text) })).text();
const post = (path: string, form: Record<string, string> = {}, text = session) =>
  fetch(`${scene.base}/settings/${path}`, { method: "POST", headers: headersOf(text), body: new URLSearchParams(form) });
const seenIn = (markup: string) => /name="seen\.entry" value="(\d+)"/.exec(markup)?.[1] ?? "";

it("members are found, get points once with a reason, and are erased; the programme is switched on where it is off", async () => {
  expect(await get("members")).toContain('id="loyalty-off"');
  expect((await post("loyalty/on", {}, await sessionOf("seller@shop"))).status).toBe(403);
  expect((await post("loyalty/on")).status).toBe(200);
  await expect
    .poll(async () => (await scene.sandbox.call("GET", `${scene.sandbox.base}/sandbox/solution`)).at("loyalty", "url"))
    .toMatch(/\/loyalty$/);
  const enrolled = await scene.sandbox.call("POST", `${scene.sandbox.base}/sandbox/loyalty/enrol`, {
    name: "Ольга <b>Смирнова</b>",
    phone: "+79990000001",
  });
  expect(enrolled.status).toBe(200);

  const list = await get("members?q=9990000001");
  expect(list).not.toContain('id="loyalty-off"');
  expect(list).toContain("Ольга &lt;b&gt;Смирнова&lt;/b&gt;");
  const id = /data-member="([^"]+)"/.exec(list)?.[1] ?? "";
  const page = await get(`members/${id}`);
  const wrong = await post(`members/${id}/grant`, { points: "1,5", reason: "", "seen.entry": seenIn(page) });
  const marked = await wrong.text();
  expect([wrong.status, marked.split("data-error").length - 1, marked.includes('value="1,5"')]).toEqual([422, 2, true]);
  const below = await post(`members/${id}/grant`, { points: "-5", reason: "ошибка", "seen.entry": seenIn(page) });
  expect(below.status).toBe(422);

  const order = { points: "100", reason: "извинения", "seen.entry": seenIn(page) };
  await Promise.all([post(`members/${id}/grant`, order), post(`members/${id}/grant`, order)]);
  const after = await get(`members/${id}`);
  expect(after).toMatch(/100 б\.[\s\S]*Начислено вручную[\s\S]*\+100[\s\S]*admin@shop[\s\S]*извинения/);
  expect(after.split("+100").length - 1).toBe(1);

  const seller = await sessionOf("seller@shop");
  expect(await get(`members/${id}`, seller)).not.toMatch(/data-action="(grant|erase)"/);
  expect((await post(`members/${id}/erase`, {}, seller)).status).toBe(403);
  expect((await post("members/0b6ff3a0-6a0f-4f0a-9f39-3c1f0f6dffff/erase")).status).toBe(404);
  const erased = await (await post(`members/${id}/erase`)).text();
  expect(erased).toContain('data-view="members"');
  expect(erased).not.toContain("Смирнова");
  expect(await get(`members/${id}`)).toMatch(/Стёртый участник[\s\S]*\+100/);
  const late = await post(`members/${id}/grant`, { ...order, points: "7", "seen.entry": seenIn(after) });
  expect([late.status, await late.text()]).toEqual([422, expect.stringMatching(/data-say="error">[^<]*баллы не записаны/)]);
  expect(await get(`members/${id}`)).not.toContain("+7<");
});
