import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Incoming, objectIn, type Reply } from "../../support/double-message.ts";
import { Double, type Handler } from "../../support/double-server.ts";
import { DOUBLE_APP } from "../../support/double-vendor.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";

interface Line {
  quantity: number;
  price: number;
  discountPercent: number;
  discountedPrice: number;
  sn?: unknown[];
}

/** A sandbox whose solution has a loyalty programme. `spoil` changes the answers of the programme. */
class LoyaltyScene {
  spoil: ((reply: Reply, request: Incoming) => Reply) | undefined;
  readonly requests: Incoming[] = [];
  readonly solution: Double;
  sandbox!: TestSandbox;

  constructor() {
    this.solution = new Double((request, honest) => this.#answer(request, honest));
  }

  static async open(): Promise<LoyaltyScene> {
    const scene = new LoyaltyScene();
    const target = await scene.solution.open();
    scene.sandbox = await testSandbox({ solution: { target, ...DOUBLE_APP } });
    scene.solution.loyalty.platform = scene.sandbox.base;
    scene.solution.loyalty.url = `${target}/loyalty/`;
    scene.solution.qr.jwks = scene.sandbox.jwks;
    await scene.sandbox.beginSolution();
    await expect.poll(async () => (await scene.own("solution")).at("loyalty", "token")).toEqual(expect.any(String));
    return scene;
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    await this.solution.close();
  }

  own(path: string, body?: object): Promise<SandboxAnswer> {
    return this.sandbox.call(body === undefined ? "GET" : "POST", `${this.sandbox.base}/sandbox/${path}`, body);
  }

  async position(index: number, quantity: number, price: number, sn?: readonly string[]) {
    const { body } = await this.sandbox.call("GET", "entity/product");
    const { id } = (body as { rows: { id: string }[] }).rows[index] ?? { id: "" };
    const meta = { id, href: `${this.sandbox.api}/entity/product/${id}`, type: "product" };
    return { assortment: { meta }, quantity, price, ...(sn === undefined ? {} : { sn: sn.map((name) => ({ name })) }) };
  }

  async member(): Promise<object> {
    const joined = await this.own("loyalty/enrol", { name: "Иван Петров", phone: "+79990000001" });
    expect(joined.status).toBe(200);
    return joined.at("agent") as object;
  }

  /** A member who has earned points by a sale of 1000.00. */
  async richMember(): Promise<object> {
    const agent = await this.member();
    const sold = await this.own("loyalty/sale", { agent, positions: [await this.position(0, 2, 500)], pay: "cash" });
    expect(sold.body).toMatchObject({ saleId: expect.any(String) });
    return agent;
  }

  balanceOf(agent: object): number | undefined {
    const [accountId = ""] = [...this.solution.vendor.installed.keys()];
    return this.solution.loyalty.bookOf(accountId).find({ ...agent })?.balance;
  }

  told(path: string): Record<string, unknown>[] {
    return this.requests.filter((request) => request.path === path).map(({ body }) => objectIn(body));
  }

  async #answer(request: Incoming, honest: Handler): Promise<Reply> {
    this.requests.push(request);
    const reply = await honest(request);
    return request.path.startsWith("/loyalty/") ? (this.spoil?.(reply, request) ?? reply) : reply;
  }
}

/** Changes what recalc answers. */
const spoilt = (change: (answer: Record<string, unknown>) => object) => (reply: Reply, request: Incoming) =>
  request.path.endsWith("/recalc") ? { ...reply, body: JSON.stringify(change(objectIn(Buffer.from(reply.body)))) } : reply;
const spoiltLines = (change: (line: Line, index: number) => object) =>
  spoilt((answer) => ({ ...answer, positions: (answer.positions as Line[]).map(change) }));
const callsIn = (answer: SandboxAnswer) =>
  (answer.at("steps") as { call: string; status: number | null }[]).map(({ call, status }) => [call, status]);

describe("the sandbox's register and loyalty", () => {
  let scene: LoyaltyScene;
  beforeEach(async () => {
    scene = await LoyaltyScene.open();
  });
  afterEach(() => scene.close());

  it("lets a buyer join with a code when one is wanted, and then has the customer", async () => {
    scene.solution.loyalty.confirms = true;
    const joined = await scene.own("loyalty/enrol", { name: "Иван Петров", phone: "+79990000001", sex: "MALE" });
    expect(callsIn(joined)).toEqual([
      ["create", 412],
      ["customer-code", 200],
      ["create", 201],
    ]);
    const [first, second] = scene.told("/loyalty/counterparty");
    expect(first).toMatchObject({ statusCheck: "UNCHECKED", name: "Иван Петров", sex: "MALE", syncId: joined.at("agent", "syncId") });
    expect(second).toEqual({ ...first, statusCheck: "CHECKED" });
    expect(scene.told("/loyalty/counterparty/verify")[0]?.meta).toEqual({ href: expect.stringContaining("/counterparty/syncid/") });
    const stored = await scene.sandbox.call("GET", `entity/counterparty/${String(joined.at("agent", "meta", "id"))}`);
    expect(stored.body).toMatchObject({ name: "Иван Петров", phone: "+79990000001", syncId: joined.at("agent", "syncId") });
  });

  it("sells with points: what the programme left is on the document, on the receipt and in the sale", async () => {
    const agent = await scene.richMember();
    expect(scene.balanceOf(agent)).toBe(50);
    scene.solution.loyalty.verifies = true;
    const before = scene.requests.length;
    const positions = [await scene.position(0, 3, 96)];
    const sold = await scene.own("loyalty/sale", { agent, positions, spend: 50, pay: "card" });
    expect(sold.body).toMatchObject({ recalc: { bonusProgram: { bonusValueToSpend: 50, bonusValueToEarn: 11, paidByBonusPoints: 50 } } });
    expect(callsIn(sold)).toEqual([
      ["recalc", 200],
      ["sale-code", 200],
      ["document", null],
      ["fiscal retaildemand", 200],
      ["sale", 201],
    ]);
    const sale = await scene.sandbox.call("GET", `entity/retaildemand/${String(sold.at("saleId"))}?expand=positions`);
    expect(sale.body).toMatchObject({ sum: 238_00, noCashSum: 238_00, cashSum: 0 });
    const fiscal = objectIn(scene.requests.slice(before).find(({ path }) => path === "/fiscal/1/retaildemand")?.body ?? Buffer.alloc(0));
    expect(fiscal).toMatchObject({
      payments: { cashSum: "0.00", cardSum: "238.00" },
      positions: [
        { quantity: 2, price: "79.33", discount: "0" },
        { quantity: 1, price: "79.34", discount: "0" },
      ],
    });
    const text = scene.requests.at(-1)?.body.toString() ?? "";
    expect(text).toContain('"cashSum":0.00');
    expect(text).toContain('"noCashSum":238.00');
    expect(objectIn(Buffer.from(text)).bonusProgram).toEqual({ bonusValueToSpend: 50, bonusValueToEarn: 11 });
    expect(scene.balanceOf(agent)).toBe(11);
  });

  it("sends numbers as the platform does", async () => {
    await scene.own("loyalty/sale", { positions: [await scene.position(0, 0.356, 899)], pay: "cash" });
    const text = scene.requests.find(({ path }) => path.endsWith("/recalc"))?.body.toString();
    expect(text).toContain('"quantity":0.356,"price":899.00');
    expect(text).not.toContain("agent");
  });

  it("takes money by QR, and opens a closed shift first", async () => {
    const agent = await scene.member();
    const sold = await scene.own("loyalty/sale", { agent, positions: [await scene.position(0, 2, 500)], pay: "qr" });
    expect(callsIn(sold).map(([call]) => call)).toEqual(["recalc", "qr", "document", "fiscal retaildemand", "sale"]);
    expect(scene.requests.filter(({ path }) => path.startsWith("/fiscal/")).map(({ path }) => path)).toEqual([
      "/fiscal/1/openshift",
      "/fiscal/1/retaildemand",
    ]);
    const back = await scene.own("loyalty/return", { saleId: sold.at("saleId") });
    expect(callsIn(back)).toEqual([
      ["qr-cancel", 200],
      ["document", null],
      ["fiscal retaisalesreturn", 200],
      ["return", 201],
    ]);
    expect(scene.balanceOf(agent)).toBe(0);
  });

  it("returns a part and then the rest, and the points are as before", async () => {
    const agent = await scene.richMember();
    const positions = [await scene.position(0, 3, 96), await scene.position(1, 2, 54.9)];
    const sold = await scene.own("loyalty/sale", { agent, positions, spend: "max", pay: "cash" });
    const saleId = sold.at("saleId");
    const first = positions[0] ?? { assortment: {} };
    const part = await scene.own("loyalty/return", { saleId, positions: [{ assortment: first.assortment, quantity: 1 }] });
    expect(part.body).toMatchObject({ returnId: expect.any(String) });
    const rest = await scene.own("loyalty/return", { saleId });
    expect(callsIn(rest)).toEqual([
      ["document", null],
      ["fiscal retaisalesreturn", 200],
      ["return", 201],
    ]);
    expect(scene.balanceOf(agent)).toBe(50);
    const told = scene.told("/loyalty/retailsalesreturn")[0];
    expect(told?.agent).not.toHaveProperty("meta");
    expect(told?.demand).toMatchObject({ meta: { id: saleId } });
    const again = await scene.own("loyalty/return", { saleId });
    expect(again.status).toBe(412);
  });

  it.each([
    ["17008", spoiltLines((line) => ({ ...line, discountPercent: 100.01 }))],
    ["17008", spoiltLines((line) => ({ ...line, discountedPrice: -1 }))],
    ["17017", spoiltLines((line) => ({ ...line, sn: [{ name: "A" }, { name: "A" }] }))],
    ["45000", spoiltLines((line) => ({ ...line, sn: line.sn?.slice(1) }))],
    ["18000", spoiltLines((line) => ({ ...line, discountedPrice: line.price - 1 }))],
    ["46002", spoiltLines((line) => ({ ...line, quantity: 1 }))],
    ["46002", spoiltLines((line) => ({ ...line, price: line.price + 1 }))],
    ["46002", spoilt((answer) => ({ ...answer, positions: [] }))],
    ["46002", spoilt((answer) => ({ ...answer, needVerification: undefined }))],
    ["46000", (reply: Reply, request: Incoming) => (request.path.endsWith("/recalc") ? { ...reply, status: 500 } : reply)],
  ])("does not sell by a wrong answer, and says %s", async (code, spoil) => {
    const agent = await scene.member();
    scene.spoil = spoil;
    const stopped = await scene.own("loyalty/sale", { agent, positions: [await scene.position(0, 2, 96, ["A", "B"])], pay: "cash" });
    expect([stopped.status, stopped.at("errors", 0, "code")]).toEqual([412, Number(code)]);
    expect(stopped.at("saleId")).toBeUndefined();
    expect(scene.told("/loyalty/retaildemand")).toEqual([]);
    expect((await scene.sandbox.call("GET", "entity/retaildemand")).at("meta", "size")).toBe(0);
  });

  it("refuses serial numbers on goods without them, and points without a buyer", async () => {
    scene.spoil = spoiltLines((line) => ({ ...line, sn: [{ name: "A" }] }));
    const serials = await scene.own("loyalty/sale", { positions: [await scene.position(0, 1, 96)], pay: "cash" });
    expect(serials.at("errors", 0, "code")).toBe(45001);
    scene.spoil = spoilt((answer) => ({ ...answer, bonusProgram: { ...(answer.bonusProgram as object), bonusValueToEarn: 5 } }));
    const points = await scene.own("loyalty/sale", { positions: [await scene.position(0, 1, 96)], pay: "cash" });
    expect(points.at("errors", 0, "code")).toBe(18003);
  });

  it("stops with 46001 for a customer without a sync id, and tells anybody else to the programme as he is given", async () => {
    const { body } = await scene.sandbox.call("GET", "entity/counterparty");
    const [{ id }] = (body as { rows: [{ id: string }] }).rows;
    const positions = [await scene.position(0, 1, 96)];
    const own = await scene.own("loyalty/sale", { agent: id, positions, pay: "cash" });
    expect(own.at("errors", 0, "code")).toBe(46001);
    const stranger = { meta: { id: "nobody-here", href: "" }, syncId: "nobody-here-either" };
    const sold = await scene.own("loyalty/sale", { agent: stranger, positions, pay: "cash" });
    expect(sold.status).toBe(200);
    expect(scene.told("/loyalty/retaildemand")[0]?.agent).toEqual(stranger);
  });

  it("tells a sale again that was not answered", async () => {
    const agent = await scene.member();
    let failures = 1;
    scene.spoil = (reply, request) => {
      if (request.path !== "/loyalty/retaildemand" || failures === 0) return reply;
      failures -= 1;
      return { status: 0, body: "" };
    };
    const sold = await scene.own("loyalty/sale", { agent, positions: [await scene.position(0, 2, 500)], pay: "cash" });
    expect(callsIn(sold).slice(-2)).toEqual([
      ["sale", null],
      ["sale", 201],
    ]);
    expect(scene.balanceOf(agent)).toBe(50);
  });

  it.each([
    ["loyalty/sale", { positions: [] }, 400],
    ["loyalty/sale", { positions: [{}], pay: "cash" }, 400],
    ["loyalty/sale", { pay: "bread" }, 400],
    ["loyalty/enrol", {}, 400],
    ["loyalty/return", { saleId: "unknown" }, 404],
    ["loyalty/nothing", {}, 404],
  ])("refuses %s with %j", async (path, body, status) => {
    expect((await scene.own(path, body)).status).toBe(status);
  });

  it("plays nothing while the solution is suspended", async () => {
    await scene.own("solution/suspend", {});
    expect((await scene.own("loyalty/enrol", { name: "Иван" })).status).toBe(409);
  });
});
