import { afterAll, beforeAll, expect, it } from "vitest";
import { type WindowScene, windowScene } from "../../support/window-scene.ts";

/** Two people change the same point of sale. Neither may undo what the other person has set without knowing it. */
let scene: WindowScene;
let session: string;
let path: string;
beforeAll(async () => {
  scene = await windowScene();
  const opened = await scene.sandbox.call("POST", `${scene.sandbox.base}/sandbox/context/admin@shop`);
  const begun = await fetch(`${scene.base}/settings/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appId: scene.appId, token: opened.at("token") }),
  });
  session = ((await begun.json()) as { session: string }).session;
  path = `/settings/stores/${String((await scene.sandbox.call("GET", "entity/retailstore?limit=1")).at("rows", 0, "id"))}`;
});
afterAll(() => scene.close());

type Form = Record<string, string>;

const headers = () => ({ authorization: `Bearer ${session}`, "hx-request": "true" });

/** What a browser would send of a form that nobody has touched. */
function formIn(markup: string, section: string): Form {
  const form = new RegExp(`id="${section}"[\\s\\S]*?<form([\\s\\S]*?)</form>`).exec(markup)?.[1] ?? "";
  const text = (value = "") => value.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
  const sent: Form = {};
  for (const [, name = "", rest = ""] of form.matchAll(/<input[^>]* name="([^"]+)"([^>]*)>/g))
    sent[name] = text(/ value="([^"]*)"/.exec(rest)?.[1]);
  for (const [, name = "", options = ""] of form.matchAll(/<select[^>]* name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g))
    sent[name] = text(/value="([^"]*)" selected/.exec(options)?.[1] ?? /value="([^"]*)"/.exec(options)?.[1]);
  return sent;
}

async function opened(section: string): Promise<Form> {
  const page = await (await fetch(`${scene.base}${path}`, { headers: headers() })).text();
  return formIn(page, section);
}

async function send(address: string, form: Form): Promise<{ status: number; text: string }> {
  const response = await fetch(`${scene.base}${path}${address}`, { method: "POST", headers: headers(), body: new URLSearchParams(form) });
  return { status: response.status, text: await response.text() };
}

const register = (name: string) => ({ "register.scheme": "emulator", "register.name": name, register: "" });

it("a register that somebody else has set meanwhile is told of, however often the form was drawn anew since", async () => {
  expect((await send("/register", { ...(await opened("register")), ...register("first") })).status).toBe(200);
  const mine = await opened("register");
  expect((await send("/register", { ...mine, "register.name": "second" })).status).toBe(200);

  const another = await send("/register/form", { ...mine, "register.scheme": "shtrih-m+tcp" });
  const back = await send("/register/form", { ...formIn(another.text, "register"), "register.scheme": "emulator" });
  const wrong = await send("/register", { ...formIn(back.text, "register"), "register.name": "" });
  expect(wrong.status).toBe(422);
  const tested = await send("/register/test", { ...formIn(wrong.text, "register"), "register.name": "third" });
  expect(tested.text).toContain('data-tried="answers"');
  const late = await send("/register", formIn(tested.text, "register"));
  expect([late.status, late.text.includes("«emulator:second»"), late.text.includes("«emulator:third»")]).toEqual([422, true, true]);
  expect((await opened("register"))["shown.register"]).toBe("emulator:second");

  expect((await send("/register", formIn(late.text, "register"))).status).toBe(200);
  expect((await opened("register"))["shown.register"]).toBe("emulator:third");
});

it("a register that somebody else has set meanwhile is told of before it is taken away", async () => {
  expect((await send("/register", { ...(await opened("register")), ...register("first") })).status).toBe(200);
  const mine = await opened("register");
  expect((await send("/register", { ...mine, "register.name": "second" })).status).toBe(200);
  const late = await send("/register", { ...mine, clear: "yes" });
  expect([late.status, late.text.includes("«emulator:second»"), late.text.includes("«не задано»")]).toEqual([422, true, true]);
  expect((await send("/register", { ...formIn(late.text, "register"), clear: "yes" })).status).toBe(200);
  expect((await opened("register"))["shown.register"]).toBe("");
});

it("a setting that somebody else has set meanwhile stays as they set it when another value had to be mended", async () => {
  const mine = await opened("settings");
  expect((await send("", { ...mine, place: "Рынок, ряд 7" })).status).toBe(200);
  const wrong = await send("", { ...mine, senderEmail: "nonsense" });
  expect(wrong.status).toBe(422);
  expect((await send("", { ...formIn(wrong.text, "settings"), senderEmail: "till@shop.example" })).status).toBe(200);
  const now = await opened("settings");
  expect([now.place, now.senderEmail]).toEqual(["Рынок, ряд 7", "till@shop.example"]);
});

it("a setting that somebody else has set meanwhile is told of, also after another value had to be mended", async () => {
  const mine = await opened("settings");
  expect((await send("", { ...mine, place: "Рынок, ряд 8", paper: "58" })).status).toBe(200);
  const wrong = await send("", { ...mine, place: "Рынок, ряд 9", senderEmail: "nonsense" });
  const late = await send("", { ...formIn(wrong.text, "settings"), senderEmail: "" });
  expect([late.status, late.text.includes("«Рынок, ряд 8»"), late.text.includes("«Рынок, ряд 9»")]).toEqual([422, true, true]);
  expect((await send("", formIn(late.text, "settings"))).status).toBe(200);
  const now = await opened("settings");
  expect([now.place, now.paper, now.senderEmail]).toEqual(["Рынок, ряд 9", "58", ""]);
});

it("an acquirer that somebody else has set meanwhile is told of, however often the form was drawn anew since", async () => {
  const mine = await opened("acquirer");
  expect((await send("/acquirer", { ...mine, "acquirer.kind": "none" })).status).toBe(200);
  const drawn = await send("/acquirer/form", { ...mine, "acquirer.kind": "tbank" });
  const wrong = await send("/acquirer", { ...formIn(drawn.text, "acquirer"), "acquirer.terminalKey": "T-1" });
  expect(wrong.status).toBe(422);
  const late = await send("/acquirer", { ...formIn(wrong.text, "acquirer"), "acquirer.password": "secret-of-the-bank" });
  expect([late.status, late.text.includes("Пока вы меняли")]).toEqual([422, true]);
  expect((await opened("acquirer"))["shown.acquirer"]).toBe("none");
  expect((await send("/acquirer", { ...formIn(late.text, "acquirer"), "acquirer.password": "secret-of-the-bank" })).status).toBe(200);
  expect((await opened("acquirer"))["shown.acquirer"]).toBe("tbank?terminalKey=T-1&password=***");
});
