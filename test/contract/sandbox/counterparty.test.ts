import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});
afterAll(() => sandbox.close());

const codeOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
const change = (made: SandboxAnswer, body: object) => sandbox.call("PUT", String(made.at("meta", "href")), body);

describe("counterparties of the sandbox", () => {
  const make = (more: object = {}) => sandbox.call("POST", "entity/counterparty", { name: "Покупатель", ...more });

  it("an e-mail that is none is 3015, of a contact person and an organization too", async () => {
    expect(codeOf(await make({ email: "нет адреса" }))).toEqual([412, 3015]);
    expect(codeOf(await make({ contactpersons: [{ name: "Анна", email: "анна" }] }))).toEqual([412, 3015]);
    expect(codeOf(await sandbox.call("POST", "entity/organization", { name: "Лавка", email: "лавка" }))).toEqual([412, 3015]);
    const made = await make({ email: "buyer@shop.example", contactpersons: [{ name: "Анна", email: "anna@shop.example" }] });
    expect(codeOf(await change(made, { email: "buyer@" }))).toEqual([412, 3015]);
    expect((await change(made, { email: "" })).status).toBe(200);
  });

  it("a counterparty without a kind is legal, and fields of the other kinds are ignored", async () => {
    const requisites = {
      legalTitle: "ООО Пример",
      kpp: "960001001",
      ogrn: "1",
      legalLastName: "Ильин",
      ogrnip: "2",
      certificateNumber: "3",
      birthDate: "1990-01-02 00:00:00",
      sex: "MALE",
      inn: "9600004564",
    };
    const kept = async (companyType?: string) => {
      const { body } = await make({ ...requisites, ...(companyType === undefined ? {} : { companyType }) });
      return Object.keys(requisites).filter((name) => name in (body as object));
    };
    expect((await make()).at("companyType")).toBe("legal");
    expect(await kept()).toEqual(["legalTitle", "kpp", "ogrn", "inn"]);
    expect(await kept("entrepreneur")).toEqual(["legalLastName", "ogrnip", "certificateNumber", "inn"]);
    expect(await kept("individual")).toEqual(["legalLastName", "birthDate", "sex", "inn"]);
    expect(await kept("individualKZ")).toEqual(["legalLastName", "birthDate", "sex", "inn"]);
  });

  it("a certificate's date is kept in whole minutes, a sex that is none is 3005", async () => {
    const made = await make({ companyType: "entrepreneur", certificateDate: "2026-03-05 12:40:17" });
    expect(made.at("certificateDate")).toBe("2026-03-05 12:40:00");
    expect(codeOf(await make({ companyType: "individual", sex: "OTHER" }))).toEqual([412, 3005]);
  });

  it("an address in its structured form makes the line: parts that are not empty, without the comment", async () => {
    const actualAddressFull = {
      postalCode: "000001",
      country: shopReference(sandbox, "country", "Россия"),
      city: "Образцов",
      street: "ул. Примерная",
      house: "1",
      comment: "домофон 5",
    };
    const made = await make({ actualAddress: "не в счёт", actualAddressFull });
    expect(made.at("actualAddress")).toBe("000001, Россия, Образцов, ул. Примерная, 1");
    expect(made.at("actualAddressFull")).toMatchObject({ comment: "домофон 5", country: { meta: { type: "country" } } });
    expect(codeOf(await make({ actualAddressFull: { house: "1".repeat(31) } }))).toEqual([412, 3040]);
  });

  it("a line alone becomes addInfo too; null does not clear an address, an empty line does", async () => {
    const made = await make({ legalAddress: "г. Образцов, д. 2" });
    expect(made.at("legalAddressFull")).toEqual({ addInfo: "г. Образцов, д. 2" });
    expect((await change(made, { legalAddress: null, legalAddressFull: null })).at("legalAddress")).toBe("г. Образцов, д. 2");
    const cleared = await change(made, { legalAddress: "" });
    expect([cleared.at("legalAddress"), cleared.at("legalAddressFull")]).toEqual([undefined, undefined]);
  });

  it("bank accounts need their number, one is the default, and the list is replaced as a whole", async () => {
    expect(codeOf(await make({ accounts: [{ bankName: "Банк" }] }))).toEqual([412, 3000]);
    const made = await sandbox.call("POST", "entity/counterparty?expand=accounts", {
      name: "Со счетами",
      accounts: [{ accountNumber: "1", bic: "049600001" }, { accountNumber: "2" }],
    });
    const defaults = (answer: SandboxAnswer) =>
      (answer.at("accounts", "rows") as { isDefault: boolean }[]).map(({ isDefault }) => isDefault);
    expect(made.at("accounts", "rows", 0)).toMatchObject({
      meta: { type: "account" },
      accountNumber: "1",
      bic: "049600001",
      isDefault: true,
    });
    expect(made.at("accounts", "rows", 0, "updated")).toEqual(expect.any(String));
    expect(defaults(made)).toEqual([true, false]);
    const id = made.at("accounts", "rows", 1, "id");
    const href = `${String(made.at("meta", "href"))}?expand=accounts`;
    const changed = await sandbox.call("PUT", href, { accounts: [{ accountNumber: "3" }, { id, isDefault: true }] });
    expect(defaults(changed)).toEqual([false, true]);
    expect(changed.at("accounts", "rows", 1)).toMatchObject({ id, accountNumber: "2" });
    expect(
      codeOf(await sandbox.call("PUT", href, { accounts: [{ id: "11111111-2222-4333-8444-555555555555", accountNumber: "1" }] })),
    ).toEqual([412, 1046]);
    expect(codeOf(await sandbox.call("PUT", href, { accounts: [{ id }, { id }] }))).toEqual([412, 3013]);
  });

  it("accounts, contact persons and notes are sub-resources with addresses of their own", async () => {
    const href = String((await make()).at("meta", "href"));
    const account = await sandbox.call("POST", `${href}/accounts`, { accountNumber: "10" });
    expect(account.at(0)).toMatchObject({ accountNumber: "10", isDefault: true });
    const person = await sandbox.call("POST", `${href}/contactpersons`, { name: "Пётр", phone: "+7 000 000-00-09" });
    expect(person.at(0)).toMatchObject({
      meta: { type: "contactperson" },
      name: "Пётр",
      agent: { meta: { href } },
      externalCode: expect.any(String),
    });
    const note = await sandbox.call("POST", `${href}/notes`, { description: "Просил чек на почту" });
    expect(note.at(0)).toMatchObject({ meta: { type: "note" }, author: { meta: { type: "employee" } }, created: expect.any(String) });
    expect(codeOf(await sandbox.call("POST", `${href}/contactpersons`, { phone: "1" }))).toEqual([412, 3000]);
    expect(codeOf(await sandbox.call("POST", `${href}/notes`, {}))).toEqual([412, 3000]);
    const changed = await sandbox.call("PUT", String(note.at(0, "meta", "href")), { description: "Иначе" });
    expect(changed.body).toMatchObject({ description: "Иначе", created: note.at(0, "created") });
    const whole = await sandbox.call("GET", href);
    expect(["accounts", "contactpersons", "notes"].map((name) => whole.at(name, "meta", "size"))).toEqual([1, 1, 1]);
    expect(whole.at("accounts", "meta")).toMatchObject({ href: `${href}/accounts`, type: "account", limit: 1000, offset: 0 });
    const old = await sandbox.call("GET", href.replace("/1.2/", "/1.1/"));
    expect(old.at("accounts", "meta", "limit")).toBe(100);
  });

  it("a document names a bank account by its address, and shows it whole when it is expanded", async () => {
    const made = await make({ accounts: [{ accountNumber: "40" }] });
    const rows = (await sandbox.call("GET", `${String(made.at("meta", "href"))}/accounts`)).at("rows") as { meta: { href: string } }[];
    const order = await sandbox.call("POST", "entity/customerorder?expand=agentAccount", {
      organization: shopReference(sandbox, "organization"),
      agent: { meta: made.at("meta") },
      agentAccount: { meta: rows[0]?.meta },
    });
    expect(order.at("agentAccount")).toMatchObject({ meta: rows[0]?.meta, accountNumber: "40", isDefault: true });
    const gone = { meta: { ...rows[0]?.meta, href: `${String(rows[0]?.meta.href).slice(0, -12)}000000000000` } };
    expect(codeOf(await change(order, { agentAccount: gone }))).toEqual([400, 2013]);
  });

  it("a price type that the account does not have is 28000", async () => {
    const known = shopReference(sandbox, "pricetype").meta;
    const priceType = { meta: { ...known, href: `${known.href.slice(0, -12)}000000000000` } };
    expect(codeOf(await make({ priceType }))).toEqual([412, 28000]);
  });

  it("salesAmount is the total of sales, whatever a body says", async () => {
    expect((await make({ salesAmount: 5, bonusPoints: 7 })).at("salesAmount")).toBe(0);
  });

  it("tags and a price type are kept; the price type is given whole", async () => {
    const made = await make({ tags: ["оптовики"], priceType: shopReference(sandbox, "pricetype") });
    expect(made.body).toMatchObject({ tags: ["оптовики"], priceType: { name: "Цена продажи" } });
    expect((await change(made, { tags: [] })).at("tags")).toEqual([]);
    expect((await sandbox.call("GET", "entity/counterparty/metadata")).at("groups")).toEqual(expect.arrayContaining(["поставщики"]));
  });
});

describe("organizations of the sandbox", () => {
  const make = (more: object = {}) => sandbox.call("POST", "entity/organization?expand=accounts", { name: "ИП Пример", ...more });
  const otherCurrency = async () => {
    const made = await sandbox.call("POST", "entity/currency", { name: "юань", isoCode: "CNY", code: "156" });
    return { meta: made.at("meta") };
  };

  it("an account without a currency is in the account's; with accounts, one at least must be (72000)", async () => {
    const foreign = { accountNumber: "1", currency: await otherCurrency() };
    expect(codeOf(await make({ accounts: [foreign] }))).toEqual([412, 72000]);
    const made = await make({ accounts: [foreign, { accountNumber: "2" }] });
    const rouble = shopReference(sandbox, "currency").meta.href;
    expect(made.at("accounts", "rows", 1, "currency", "meta", "href")).toBe(rouble);
    expect((await make({ accounts: [] })).status).toBe(200);
  });

  it("the currency of an account that is there never changes (3001)", async () => {
    const made = await make({ accounts: [{ accountNumber: "1" }, { accountNumber: "2" }] });
    const [first, second] = made.at("accounts", "rows") as { id: string; meta: { href: string }; currency: object }[];
    const currency = await otherCurrency();
    expect(codeOf(await change(made, { accounts: [{ id: first?.id, currency }, { id: second?.id }] }))).toEqual([412, 3001]);
    expect(codeOf(await sandbox.call("PUT", String(first?.meta.href), { currency }))).toEqual([412, 3001]);
    expect((await sandbox.call("PUT", String(first?.meta.href), { currency: first?.currency, bankName: "Банк" })).status).toBe(200);
  });

  it("it is legal unless it says otherwise, and isEgaisEnable is always false", async () => {
    expect((await make({ isEgaisEnable: true })).body).toMatchObject({ companyType: "legal", isEgaisEnable: false, archived: false });
    const trader = await make({ companyType: "entrepreneur", ogrnip: "1", kpp: "2" });
    expect([trader.at("ogrnip"), trader.at("kpp")]).toEqual(["1", undefined]);
  });
});
