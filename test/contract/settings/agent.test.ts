import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dialWebSocket } from "../../../src/registers/agent/wire/web-socket.ts";
import { AgentPlayer, agentKeys } from "../../support/agents-player.ts";
import { type WindowScene, windowScene } from "../../support/window-scene.ts";

let scene: WindowScene;
let storeId: string;

beforeAll(async () => {
  scene = await windowScene();
  storeId = String((await scene.sandbox.call("GET", "entity/retailstore?limit=1")).at("rows", 0, "id"));
});
afterAll(() => scene.close());

/** Begins a session and returns the browser that uses it. */
async function visitor(login: string) {
  const { token } = (await scene.sandbox.call("POST", `${scene.sandbox.base}/sandbox/context/${login}`)).body as { token: string };
  const body = JSON.stringify({ appId: scene.appId, token });
  const begun = await fetch(`${scene.base}/settings/session`, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { session } = (await begun.json()) as { session: string };
  const headers = { authorization: `Bearer ${session}`, "hx-request": "true" };
  const said = async (response: Response) => ({ status: response.status, text: await response.text() });
  const path = (rest: string) => `${scene.base}/settings/stores/${storeId}${rest}`;
  return {
    get: async (rest: string) => said(await fetch(path(rest), { headers })),
    post: async (rest: string, form: Record<string, string>) =>
      said(await fetch(path(rest), { method: "POST", headers, body: new URLSearchParams(form) })),
  };
}

const dial = () => dialWebSocket(`${scene.base.replace("http", "ws")}/agents/connect`);

describe("the agent on the settings page", () => {
  it("is enrolled with a code and a command to copy, shows what it is doing, and has another copy accepted", async () => {
    const admin = await visitor("admin@shop");
    expect((await admin.get("")).text).toMatch(/id="agent"[\s\S]*data-action="enrol"/);
    const wrong = await admin.post("/agent", { agent: "Shop 7" });
    expect([wrong.status, wrong.text.includes("data-error")]).toEqual([422, true]);
    const made = await admin.post("/agent", { agent: "shop-7" });
    const [, code = ""] = /data-value="code">([^<]+)</.exec(made.text) ?? [];
    expect([made.status, /data-value="command">node src\/agent\.ts enrol --server ws[^<]+ --code/.test(made.text)]).toEqual([200, true]);
    expect(made.text).toMatch(/id="register" hx-swap-oob="true"[\s\S]*name="shown\.register" value="agent:shop-7"/);
    expect(made.text).toMatch(/id="operations" hx-swap-oob="true"/);
    expect(made.text).not.toContain("data-missing");
    const again = await admin.post("/agent", { agent: "shop-7", replace: "yes" });
    expect([again.status, again.text.includes('id="register"')]).toEqual([200, false]);
    const [, newest = code] = /data-value="code">([^<]+)</.exec(again.text) ?? [];
    const { publicKey, privateKey } = agentKeys();
    const enrolled = await fetch(`${scene.base}/agents/enrol`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: newest, publicKey, version: "1.2.3", host: "till" }),
    });
    const { agent } = (await enrolled.json()) as { agent: string };
    expect((await admin.get("/agent")).text).toMatch(/data-agent="shop-7"[\s\S]*data-light="grey"/);
    const player = new AgentPlayer(await dial(), { agent, privateKey });
    await player.connect();
    await player.next();
    const shown = (await admin.get("/agent")).text;
    expect(shown).toMatch(/data-light="green"[\s\S]*1\.0\.0/);
    const copy = new AgentPlayer(await dial(), { agent, privateKey, epoch: 1, folder: "copied" });
    await copy.sayHello();
    expect((await copy.closed()).code).toBe(4409);
    expect((await admin.get("/agent")).text).toMatch(/data-light="red"[\s\S]*data-action="accept"/);
    expect((await admin.post("/agent/accept", {})).text).not.toContain('data-action="accept"');
    expect((await player.closed()).code).toBe(4409);
  });

  it("is shown to people who may change nothing without its buttons", async () => {
    const admin = await visitor("admin@shop");
    await admin.post("/agent", { agent: "shop-8" });
    const worker = await visitor("worker@shop");
    const { text } = await worker.get("/agent");
    expect([text.includes('id="agent"'), text.includes("data-action")]).toEqual([true, false]);
    expect((await worker.post("/agent", { agent: "shop-9" })).status).toBe(403);
    expect((await worker.post("/agent/accept", {})).status).toBe(403);
  });
});
