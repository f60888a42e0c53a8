import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { openStore } from "../../src/store/database.ts";
import { DATABASE_KINDS, type DatabaseKind } from "../support/databases.ts";
import { recalc, returned, sale, store } from "../support/loyalty-contract.ts";
import { LoyaltyLife } from "../support/loyalty-life.ts";
import { refusingMailServer, type TextProvider, textProvider } from "../support/message-takers.ts";
import { newPostgresDatabase } from "../support/new-database.ts";
import { sentReference, stocked } from "../support/sandbox-bodies.ts";
import { filesBelow, type Hidden, hiddenCard, hiddenCode, hiddenPhone, hiddenWords, shown, type Trace } from "../support/traces.ts";

/** Personal data with words that occur nowhere else. */
const ANNA = {
  name: "Звездочётова Аннабель",
  phone: "+79035550142",
  email: "annabel.zvezda@mail.example",
  discountCardNumber: "ЛАВ-7731-204",
  legalFirstName: "Аннабель",
  legalMiddleName: "Ферапонтовна",
  legalLastName: "Звездочётова",
  birthDate: "1987-02-03 00:00:00.000",
  sex: "FEMALE",
};
const BORIS = {
  name: "Кривошеин Боримир",
  phone: "8 (916) 555-01-77",
  email: "borimir.k@mail.example",
  discountCardNumber: "LAVKA-5512-9Q",
};
/** Members of another programme. In such files the key of a row is the phone or the card. */
const IMPORTED = [
  { key: "79261110203", name: "Трофимчук Велемир", phone: "+7 926 111-02-03", points: 40, spentKopecks: 10_000 },
  { key: "СТАР-4410-8832", name: "Дормидонтов Гремислав", card: "СТАР-4410-8832", email: "gremislav@mail.example", points: 5 },
];
/** A buyer whose phone and address are on receipts, and so in the journal and in the register's drive. */
const VERA = { name: "Полуэктова Евлампия", phone: "+79120000042", email: "vera@mail.example", discountCardNumber: "ЛАВ-9904-815" };
/** A buyer who becomes no member. */
const STRANGER = { name: "Незнамов Харитон", phone: "+7 (999) 321-65-40", email: "hariton.n@mail.example" };
const PEOPLE: readonly { name: string; phone?: string; email?: string }[] = [ANNA, BORIS, ...IMPORTED, STRANGER];

const PROGRAMME = {
  spend: { sharePercent: 50, leastMoneyKopecks: 0, step: 1, excluded: [] },
  verification: { newCustomer: true, spending: "always" },
  externalSearch: true,
};

const KINDS = DATABASE_KINDS.filter(({ shared }) => shared);
/** Two programs are started, and about twenty commands run one after the other on a busy machine. */
const LIMIT_MS = 400_000;

it.each(KINDS)(
  "codes, phones, addresses, cards and names of a whole run lie sealed in $title, and are in nothing that is shown",
  async (kind) => {
    const provider = await textProvider();
    const database = kind.kind === "postgres" ? await newPostgresDatabase() : undefined;
    const life = await LoyaltyLife.open({
      LOG_LEVEL: "trace",
      CODE_CHANNEL: `${provider.address},${await refusingMailServer()}`,
      ...(database === undefined ? {} : { DATABASE_URL: database }),
    });
    await life.connect(PROGRAMME);
    const members = await memberLives(life);
    await cashierErrs(life, provider);
    await operatorWorks(life, members);
    const metrics = await (await fetch(`${life.server.base}/metrics`)).text();
    const rows = await rowsOf(life, kind, database);
    const running = filesBelow(life.server.dataDir);
    await life.server.stop();

    const codes = provider.taken.map(({ text }) => /\d{6}/.exec(text)?.[0] ?? "no code");
    expect(codes.length).toBeGreaterThanOrEqual(3);
    const hidden = [...codes.map(hiddenCode), ...life.keys.flatMap(hiddenWords), ...hiddenOfPeople()];
    // The search must find the data where it is allowed: in requests of tills and in files for commands. Otherwise an
    // empty result elsewhere would prove nothing.
    const open = [{ place: "the tills", text: life.answered }, ...filesBelow(life.desk)];
    expect(hidden.filter((each) => shown([each], open).length === 0).map(({ what }) => what)).toEqual([]);
    const said = { place: "the commands", text: readFileSync(life.said, "utf8") };
    expect(said.text).toContain("З*** А***");
    const log = running.find(({ place }) => place === "demo-server.log")?.text;
    expect(log).toContain("a verification code could not be sent");
    expect(log).toContain("loyalty call answered");
    const traces = [said, { place: "/metrics", text: metrics }, ...rows, ...running, ...filesBelow(life.server.dataDir)];
    expect(shown(hidden, traces)).toEqual([]);
  },
  LIMIT_MS,
);

function hiddenOfPeople(): Hidden[] {
  const cards = [ANNA, BORIS, VERA].map(({ discountCardNumber }) => discountCardNumber);
  return [
    ...PEOPLE.flatMap(({ name }) => hiddenWords(name)),
    ...PEOPLE.flatMap(({ phone }) => (phone === undefined ? [] : [hiddenPhone(phone)])),
    ...PEOPLE.flatMap(({ email }) => (email === undefined ? [] : hiddenWords(email))),
    ...hiddenWords(ANNA.legalMiddleName),
    ...hiddenWords(VERA.name),
    ...[...cards, "СТАР-4410-8832"].map(hiddenCard),
  ];
}

/** The member joins with a code, earns, spends with a code, returns, and is found in every possible way. */
async function memberLives(life: LoyaltyLife): Promise<{ anna: object; boris: object }> {
  const [anna, boris] = [await joined(life, ANNA), await joined(life, BORIS)];
  const done = async (path: string, body: object) => {
    const answer = await life.till("POST", path, body);
    expect(answer.status, path).toBeLessThan(300);
    return answer.body;
  };
  for (const agent of [anna, boris]) await done("/retaildemand", sale(randomUUID(), { agent }));
  const quoted = await done("/retaildemand/recalc", recalc({ agent: anna, bonusProgram: { transactionType: "SPENDING" } }));
  expect(quoted).toMatchObject({ needVerification: true });
  await done("/retaildemand/verify", { ...store(), counterpartyId: Reflect.get(anna, "syncId"), phone: ANNA.phone });
  const spending = randomUUID();
  await done("/retaildemand", sale(spending, { agent: anna, bonusProgram: { bonusValueToSpend: 20, bonusValueToEarn: 49 } }));
  await done("/retailsalesreturn", returned(randomUUID(), spending, { agent: { phone: ANNA.phone, name: ANNA.name } }));
  for (const text of [ANNA.phone, "8 903 555 01 42", "9035550142", ANNA.discountCardNumber, "лав7731", "Звезд", ANNA.email]) {
    expect(await life.search(text), text).toMatchObject({ status: 200, body: { rows: [{ name: ANNA.name }] } });
  }
  await done("/counterparty/detail", { ...anna, ...store() });
  await fiscalSale(life, await joined(life, VERA));
  return { anna, boris };
}

/** A sale with points and its return, whose receipts are printed. */
async function fiscalSale(life: LoyaltyLife, agent: object): Promise<void> {
  const positions = [{ assortment: sentReference(life.sandbox, stocked(life.sandbox, "product")), quantity: 3, price: 960 }];
  const sold = await life.own("loyalty/sale", { agent, positions, pay: "cash" });
  expect((await life.own("loyalty/return", { saleId: sold.at("saleId") })).status).toBe(200);
}

async function joined(life: LoyaltyLife, person: object): Promise<object> {
  const answer = await life.own("loyalty/enrol", person);
  expect(answer.status).toBe(200);
  return answer.at("agent") as object;
}

/** Faults at a till, with the buyer's data in the request. */
async function cashierErrs(life: LoyaltyLife, provider: TextProvider): Promise<void> {
  const customer = { ...STRANGER, meta: { href: "https://x.example/entity/counterparty/syncid/1" }, ...store() };
  provider.works = false;
  // The mail server names the refused receiver in its answer, which becomes a line of the log.
  expect((await life.till("POST", "/counterparty/verify", customer)).status).toBe(500);
  provider.works = true;
  const wrong: [path: string, body: object | string][] = [
    ["/counterparty", JSON.stringify(customer).slice(0, -1)],
    ["/counterparty", { ...customer, phone: [STRANGER.phone] }],
    ["/counterparty", { ...customer, [STRANGER.phone]: STRANGER.name, retailStore: STRANGER.email }],
    ["/counterparty", { ...customer, statusCheck: "UNCHECKED" }],
    ["/counterparty/detail", { ...customer, meta: { id: "nobody" } }],
    ["/retaildemand/recalc", { agent: customer, positions: STRANGER.name, ...store() }],
    ["/retaildemand/verify", { counterpartyId: "nobody", phone: STRANGER.phone, ...store() }],
    [`/counterparty/${encodeURIComponent(STRANGER.phone)}`, customer],
  ];
  for (const [path, body] of wrong) expect((await life.till("POST", path, body)).status, path).toBeGreaterThanOrEqual(400);
  expect((await life.till("POST", "/counterparty", customer, STRANGER.phone)).status).toBe(401);
  expect((await life.search(STRANGER.name.repeat(30))).status).toBe(412);
}

/** All acts of a person on the command line, with phones and cards as the names of members. */
async function operatorWorks(life: LoyaltyLife, { anna }: { anna: object }): Promise<void> {
  const { accountId } = life;
  const loyalty = async (expected: number, ...args: string[]) => {
    const { code, text } = await life.command("loyalty", ...args);
    expect(code, text).toBe(expected);
  };
  const rows = life.file("members.jsonl", IMPORTED.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const receipt = life.file("receipt.json", JSON.stringify({ ...store(), agent: anna, positions: [] }));
  const bad = life.file("bad.jsonl", `${JSON.stringify({ ...IMPORTED[0], phone: "926" })}\n${JSON.stringify(IMPORTED[1]).slice(0, -1)}\n`);
  await loyalty(1, "import", accountId, bad);
  await loyalty(0, "import", accountId, rows);
  await loyalty(0, "import", accountId, rows, "--dry-run");
  await loyalty(0, "gift-card", "issue", accountId, "Подарок 100", "100000");
  await loyalty(0, "members", accountId);
  await loyalty(0, "members", accountId, ANNA.phone);
  await loyalty(0, "members", accountId, STRANGER.name);
  await loyalty(0, "history", accountId, ANNA.phone);
  await loyalty(0, "history", accountId, IMPORTED[0]?.key ?? "", "--json");
  await loyalty(1, "history", accountId, STRANGER.phone);
  await loyalty(0, "grant", accountId, "8 926 111 02 03", "10", "--reason", "a gift");
  await loyalty(1, "grant", accountId, BORIS.phone, "-100000", "--reason", "too much");
  await loyalty(0, "try", accountId, receipt);
  await loyalty(0, "merge", accountId, ANNA.phone, BORIS.discountCardNumber);
  await loyalty(1, "merge", accountId, ANNA.phone, BORIS.phone);
  await loyalty(0, "erase", accountId, "СТАР-4410-8832");
  await loyalty(0, "export", accountId, join(life.desk, "export.jsonl"));
  await loyalty(0, "expire");
  await loyalty(0, "verify", "--json");
  await loyalty(0, "key", "rotate", accountId);
  await life.command("settings", "list");
  await life.command("doctor");
}

/** Every cell of every table as text, read beside the running server. */
async function rowsOf({ server }: LoyaltyLife, { kind }: DatabaseKind, url: string | undefined): Promise<Trace[]> {
  const opened = await openStore(
    url === undefined ? { kind: "sqlite", file: join(server.dataDir, "fiscal.sqlite") } : { kind: "postgres", url },
  );
  try {
    const list =
      kind === "postgres"
        ? sql<{ name: string }>`select table_name as name from information_schema.tables where table_schema = 'public'`
        : sql<{ name: string }>`select name from sqlite_schema where type = 'table'`;
    const { rows: tables } = await opened.read((db) => list.execute(db));
    expect(tables.length).toBeGreaterThan(30);
    return await Promise.all(
      tables.map(async ({ name }) => {
        const { rows } = await opened.read((db) => sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db));
        return { place: `table ${name}`, text: rows.map((row) => Object.values(row).map(String).join("\n")).join("\n") };
      }),
    );
  } finally {
    await opened.close();
  }
}
