import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { goldenWorld } from "../../support/golden-world.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";

// json-api 13.13: resources below the types.

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});
afterAll(() => sandbox.close());

const call = (method: string, path: string, body?: unknown) => sandbox.call(method, path, body);
const outcome = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];

describe("departments", () => {
  const order = async () =>
    ((await call("GET", "entity/group")).at("rows") as { name: string; index: number }[])
      .sort((one, other) => one.index - other.index)
      .map(({ name, index }) => `${index} ${name}`);

  it("are made, renamed, moved by their index and deleted; a name twice is 60001", async () => {
    const made = [await call("POST", "entity/group", { name: "Север" }), await call("POST", "entity/group", { name: "Юг" })];
    expect(made.map(({ status }) => status)).toEqual([200, 200]);
    expect(await order()).toEqual(["0 Основной", "1 Север", "2 Юг"]);
    expect(outcome(await call("POST", "entity/group", { name: "Север" }))).toEqual([412, 60001]);
    const south = String(made[1]?.at("meta", "href"));
    expect(outcome(await call("PUT", south, { name: "Север" }))).toEqual([412, 60001]);
    expect((await call("PUT", south, { name: "Юг-2", index: 0 })).at("index")).toBe(0);
    expect(await order()).toEqual(["0 Юг-2", "1 Основной", "2 Север"]);
    expect((await call("PUT", south, { index: 100 })).at("index")).toBe(2);
    expect(await order()).toEqual(["0 Основной", "1 Север", "2 Юг-2"]);
    expect((await call("DELETE", south)).status).toBe(200);
    expect(outcome(await call("GET", south))).toEqual([404, 1021]);
  });

  it("that something belongs to are not deleted, and a name is needed", async () => {
    const [first] = (await call("GET", "entity/group?limit=1")).at("rows") as { meta: { href: string } }[];
    expect(outcome(await call("DELETE", String(first?.meta.href)))).toEqual([409, 1028]);
    expect(outcome(await call("POST", "entity/group", {}))).toEqual([412, 3000]);
  });
});

describe("characteristics", () => {
  const PATH = "entity/variant/metadata/characteristics";

  it("are made one by one or in an array, by their names alone", async () => {
    const one = await call("POST", PATH, { name: "Длина", type: "long", required: true });
    expect([one.status, one.body]).toEqual([
      200,
      {
        meta: expect.objectContaining({ type: "attributemetadata" }),
        id: expect.any(String),
        name: "Длина",
        type: "string",
        required: false,
      },
    ]);
    const many = await call("POST", PATH, [{ name: "Ширина" }, {}]);
    expect([many.at(0, "name"), many.at(1, "errors", 0, "code")]).toEqual(["Ширина", 3000]);
    expect((await call("GET", String(one.at("meta", "href")))).body).toEqual(one.body);
    const names = ((await call("GET", PATH)).at("characteristics") as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["Длина", "Ширина"]));
    expect(outcome(await call("POST", PATH, { name: "Длина" }))).toEqual([412, 3006]);
    expect(outcome(await call("POST", PATH, {}))).toEqual([412, 3000]);
  });
});

describe("price types", () => {
  const PATH = "context/companysettings/pricetype";
  const list = async () => (await call("GET", PATH)).body as { meta: object; id: string; name: string }[];

  it("are replaced as a list: those with meta stay and change, others are made, the missing go, in the order that was sent", async () => {
    const [sale, wholesale] = await list();
    const answer = await call("POST", PATH, [{ name: "Онлайн" }, { meta: wholesale?.meta, name: "Опт" }, { meta: sale?.meta }]);
    expect(answer.status, answer.text).toBe(200);
    expect((answer.body as { name: string }[]).map(({ name }) => name)).toEqual(["Онлайн", "Опт", sale?.name]);
    expect(answer.at(1, "id")).toBe(wholesale?.id);
    expect(await list()).toEqual(answer.body);
    expect((await call("GET", `${PATH}/default`)).body).toEqual(answer.at(0));
    expect((await call("GET", String(answer.at(0, "meta", "href")))).body).toEqual(answer.at(0));
    expect((await call("GET", "context/companysettings")).at("priceTypes")).toEqual(answer.body);
    // Goods have a price of every type. It is zero when none was sent.
    const goods = await call("GET", "entity/product?limit=1");
    const prices = goods.at("rows", 0, "salePrices") as { value: number; priceType: { name: string } }[];
    expect(prices.map(({ priceType }) => priceType.name)).toEqual(["Онлайн", "Опт", sale?.name]);
    expect([prices[0]?.value, Number(prices[2]?.value) > 0]).toEqual([0, true]);
  });

  it("may exchange their names, and those that are not named go with their prices", async () => {
    const [online, wholesale, sale] = await list();
    const answer = await call("POST", PATH, [
      { meta: sale?.meta, name: wholesale?.name },
      { meta: wholesale?.meta, name: sale?.name },
    ]);
    expect((answer.body as { name: string }[]).map(({ name }) => name)).toEqual([wholesale?.name, sale?.name]);
    expect(outcome(await call("GET", `${PATH}/${String(online?.id)}`))).toEqual([404, 1021]);
    const goods = await call("GET", "entity/product?limit=1");
    expect((goods.at("rows", 0, "salePrices") as object[]).length).toBe(2);
    expect((await call("GET", "entity/variant?limit=1")).at("rows", 0, "salePrices", 1, "priceType", "name")).toBe(sale?.name);
  });

  it("are 1 to 100, each with a name of its own, written by the administrator; one that a point of sale uses stays", async () => {
    const before = await list();
    const names = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `Тип ${at}` }));
    expect(outcome(await call("POST", PATH, []))).toEqual([400, 1027]);
    expect(outcome(await call("POST", PATH, names(101)))).toEqual([413, 2007]);
    expect(outcome(await call("POST", PATH, { name: "Один" }))).toEqual([400, 2005]);
    expect(outcome(await call("POST", PATH, [{ name: "а" }, { name: "а" }]))).toEqual([412, 3006]);
    expect(outcome(await call("POST", PATH, [...before, {}]))).toEqual([412, 3000]);
    expect(outcome(await call("POST", PATH, names(100)))).toEqual([409, 1028]);
    expect(await list()).toEqual(before);
    const authorization = `Basic ${Buffer.from("seller@shop:secret").toString("base64")}`;
    expect(outcome(await sandbox.call("POST", PATH, before, { authorization }))).toEqual([403, 1017]);
    expect((await call("POST", PATH, [...before, ...names(98)])).status).toBe(200);
  });
});

describe.each(["customerorder", "retaildemand", "retailsalesreturn", "retailshift", "retaildrawercashin", "retaildrawercashout"])(
  "notes of a %s",
  (type) => {
    it("are made (201, an array even for one), read, changed, deleted (204) and deleted in numbers", async () => {
      const { least, close, sandbox: own } = await goldenWorld();
      const made = await own.call("POST", `entity/${type}`, least(type));
      const notes = `${String(made.at("meta", "href"))}/notes`;
      const one = await own.call("POST", notes, { description: "первая", created: "2020-01-01 00:00:00", author: null });
      expect([one.status, one.at("length")]).toEqual([201, 1]);
      const note = {
        meta: { href: expect.stringContaining(`/${type}/`), type: "note", mediaType: "application/json" },
        id: expect.any(String),
        accountId: own.account.id,
        author: { meta: expect.objectContaining({ type: "employee" }) },
        created: expect.not.stringContaining("2020-01-01"),
        description: "первая",
      };
      expect(one.body).toEqual([note]);
      const more = await own.call("POST", notes, [{ description: "вторая" }, { description: "третья" }]);
      expect([more.status, more.at("length")]).toEqual([201, 2]);
      const href = String(one.at(0, "meta", "href"));
      expect((await own.call("GET", href)).body).toEqual(note);
      const changed = await own.call("PUT", href, { description: "другая" });
      expect([changed.status, changed.at("description"), changed.at("created")]).toEqual([200, "другая", one.at(0, "created")]);
      const listed = await own.call("GET", `${notes}?limit=2`);
      expect([listed.at("meta", "size"), (listed.at("rows") as object[]).length]).toEqual([3, 2]);
      expect(outcome(await own.call("POST", notes, {}))).toEqual([412, 3000]);
      const gone = await own.call("DELETE", href);
      expect([gone.status, gone.text]).toEqual([204, ""]);
      const rest = await own.call("POST", `${notes}/delete`, more.body);
      expect([rest.status, (await own.call("GET", notes)).at("meta", "size")]).toEqual([200, 0]);
      await close();
    });
  },
);

describe("access of an employee", () => {
  it("is read, changed, given and taken, with a role of the account", async () => {
    const { href } = (await call("GET", "entity/employee?limit=1")).at("rows", 0, "meta") as { href: string };
    const security = await call("GET", `${href}/security`);
    expect(security.body).toEqual({
      isActive: true,
      login: "admin@shop",
      email: expect.any(String),
      group: { meta: expect.objectContaining({ type: "group" }) },
      role: { meta: expect.objectContaining({ href: `${sandbox.api}/entity/role/admin` }) },
    });
    const role = { meta: { href: `${sandbox.api}/entity/role/cashier`, type: "systemrole", mediaType: "application/json" } };
    const changed = await call("PUT", `${href}/security`, { login: "boss@shop", email: "boss@shop.example", role });
    expect(changed.body).toMatchObject({ isActive: true, login: "boss@shop", email: "boss@shop.example", role });
    expect((await call("PUT", `${href}/access/deactivate`)).at("isActive")).toBe(false);
    expect((await call("GET", `${href}/security`)).body).toEqual({ ...(changed.body as object), isActive: false });
    const again = await call("PUT", `${href}/access/activate`, { login: "again@shop", role });
    expect(again.body).toMatchObject({ isActive: true, login: "again@shop" });
    const wrong = { meta: { ...role.meta, href: `${sandbox.api}/entity/role/king` } };
    expect(outcome(await call("PUT", `${href}/security`, { role: wrong }))).toEqual([400, 2013]);
    expect(outcome(await call("GET", `${href.slice(0, -4)}0000/security`))).toEqual([404, 1021]);
  });

  it.each(["admin", "individual", "cashier", "worker", "owner"])("may be that of the role %s, which has permissions", async (name) => {
    const role = await call("GET", `entity/role/${name}`);
    expect([role.status, role.at("meta", "href")]).toEqual([200, `${sandbox.api}/entity/role/${name}`]);
    expect(role.at("permissions", "product")).toMatchObject({ view: "ALL" });
    expect(Object.keys(role.body as object).sort()).toEqual(["meta", "permissions"]);
    expect(outcome(await call("GET", "entity/role/king"))).toEqual([404, 1002]);
  });
});

describe("zones and slots of a warehouse", () => {
  it("are made, listed, changed, expanded and deleted; a slot may lie in a zone of its own warehouse", async () => {
    const { href } = (await call("GET", "entity/store?limit=1")).at("rows", 0, "meta") as { href: string };
    const zones = await call("POST", `${href}/zones`, [{ name: "Холодная" }, { name: "Тёплая" }]);
    expect([zones.status, zones.at(0, "name")]).toEqual([200, "Холодная"]);
    expect(outcome(await call("POST", `${href}/zones`, {}))).toEqual([412, 3000]);
    const zone = { meta: zones.at(0, "meta") };
    const slots = await call("POST", `${href}/slots`, [{ name: "А-1", zone }, { name: "А-2" }]);
    expect([slots.status, slots.at(0, "zone", "meta", "href"), slots.at(1, "zone")]).toEqual([200, zones.at(0, "meta", "href"), undefined]);
    const slot = String(slots.at(0, "meta", "href"));
    expect((await call("GET", `${slot}?expand=zone`)).at("zone", "name")).toBe("Холодная");
    expect((await call("GET", String(zones.at(0, "meta", "href")))).at("name")).toBe("Холодная");
    expect((await call("PUT", slot, { name: "Б-1" })).at("name")).toBe("Б-1");
    expect((await call("GET", `${href}/slots`)).at("meta", "size")).toBe(2);
    expect((await call("GET", `${href}?expand=zones,slots`)).at("zones", "rows", 1, "name")).toBe("Тёплая");
    const other = await call("POST", "entity/store", { name: "Другой", slots: [{ name: "Б" }] });
    const foreign = String((await call("GET", `${String(other.at("meta", "href"))}/slots`)).at("rows", 0, "meta", "href"));
    expect(outcome(await call("PUT", foreign, { zone }))).toEqual([412, 3007]);
    expect((await call("DELETE", String(zones.at(0, "meta", "href")))).status).toBe(200);
    expect((await call("GET", slot)).at("zone")).toBeUndefined();
    expect((await call("POST", `${href}/slots/delete`, slots.body)).status).toBe(200);
    expect((await call("GET", `${href}/slots`)).at("meta", "size")).toBe(0);
  });
});

describe("settings of the company", () => {
  it("are changed but for currency, price types and country; some fields suffice", async () => {
    const before = await call("GET", "context/companysettings");
    const sent = {
      discountStrategy: "byPriority",
      companyAddress: "г. Образцов",
      useRecycleBin: false,
      accountCountry: "KZ",
      priceTypes: [],
      currency: null,
    };
    const changed = await call("PUT", "context/companysettings", sent);
    expect(changed.body).toEqual({
      ...(before.body as object),
      discountStrategy: "byPriority",
      companyAddress: "г. Образцов",
      useRecycleBin: false,
    });
    expect((await call("GET", "context/companysettings")).body).toEqual(changed.body);
    expect(outcome(await call("PUT", "context/companysettings", { discountStrategy: "none" }))).toEqual([400, 2029]);
    const { close, least, sandbox: own } = await goldenWorld();
    await own.call("PUT", "context/companysettings", { useRecycleBin: false });
    const order = await own.call("POST", "entity/customerorder", least("customerorder"));
    expect(outcome(await own.call("POST", `${String(order.at("meta", "href"))}/trash`))).toEqual([412, 1067]);
    await close();
  });

  it("of a user are that user's own", async () => {
    const [, second] = (await call("GET", "entity/store")).at("rows") as { meta: object }[];
    const authorization = `Basic ${Buffer.from("seller@shop:secret").toString("base64")}`;
    const before = await sandbox.call("GET", "context/usersettings", undefined, { authorization });
    const changed = await call("PUT", "context/usersettings", { defaultPlace: { meta: second?.meta }, locale: "en_US" });
    expect(changed.body).toMatchObject({ locale: "en_US", defaultPlace: { meta: second?.meta } });
    expect((await sandbox.call("GET", "context/usersettings", undefined, { authorization })).body).toEqual(before.body);
  });
});
