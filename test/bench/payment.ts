import { createPublicKey } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jwtVerify } from "jose";
import type { AcquirerAccount, AcquirerKind, BankPayment } from "../../src/acquirers/acquirer.ts";
import { ACQUIRERS, acquirerNamed } from "../../src/acquirers/catalogue.ts";
import { pause, systemChance, systemClock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { openBank } from "../../src/tools/bank/bank.ts";
import { PaymentServer } from "./payment-server.ts";
import { medianRow, type Part, percentile, type Row, rounded, withFloor } from "./row.ts";

const ROUNDS = 5;
const CALLS = 200;
const CREATES = 40;
const OPEN_PAYMENTS = 1_000;
/**
 * The number of accounts. One account allows five readings a second, so the payments are divided among the accounts for
 * each to be read within its step.
 */
const ACCOUNTS = 250;
const SLOW_BANK_MS = 2_000;

/** How long a till waits in QR payments, compared with the least work of a call. */
export const paymentBench: Part = {
  prefix: "payment.",
  async run(note, only): Promise<Row[]> {
    const wants = (name: string) => name.startsWith(only) || only.startsWith(name);
    const rows: Row[] = [];
    if (wants("payment.token")) rows.push(await tokenRow());
    if (wants("payment.state")) rows.push(...(await stateRows(note)));
    if (wants("payment.create")) for (const name of ["yookassa", "tbank"] as const) rows.push(await createRow(name));
    if (wants("payment.told")) rows.push(await toldRow());
    return rows;
  },
};

/** A token read by the key set, compared with a bare check of its signature. */
async function tokenRow(): Promise<Row> {
  const server = await PaymentServer.open({ kinds: ACQUIRERS, settingOf: () => "simulated", follows: false });
  try {
    const tokens = Array.from({ length: CALLS }, () => server.token());
    const publicKey = createPublicKey(server.key.privateKey);
    const bare = (token: string) => jwtVerify(token, publicKey, { algorithms: ["RS256"] });
    await server.keys.read(server.token());
    const rows: ReturnType<typeof withFloor>[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const floor = await microseconds(tokens, async (token) => void (await bare(token)));
      const value = await microseconds(tokens, async (token) => {
        if ((await server.keys.read(token)).kind !== "valid") throw new Error("a good token was refused");
      });
      if (round > 0) rows.push(withFloor({ name: "payment.token", value: rounded(value), unit: "µs" }, floor));
    }
    return medianRow(rows);
  } finally {
    await server.close();
  }
}

/** State calls with one open payment, and with a thousand that are followed, at a bank that answers in two seconds. */
async function stateRows(note: (text: string) => void): Promise<Row[]> {
  const slow = slowKind();
  const settingOf = (storeId: string) => `slow?shop=${storeId}`;
  const quiet = await PaymentServer.open({ kinds: [slow], settingOf, follows: true });
  const busy = await PaymentServer.open({ kinds: [slow], settingOf, follows: true });
  try {
    await quiet.call("qr", { operationId: "one" });
    for (let n = 0; n < OPEN_PAYMENTS; n += 1)
      await busy.call("qr", { operationId: n === 0 ? "one" : `open-${n}`, storeId: `store-${n % ACCOUNTS}` });
    note(`${OPEN_PAYMENTS} payments at ${ACCOUNTS} accounts are open`);
    const stateRow: ReturnType<typeof withFloor>[] = [];
    const behindRow: ReturnType<typeof withFloor>[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [floors, values, behind] = [[], [], []] as [number[], number[], number[]];
      for (let n = 0; n < CALLS; n += 1) {
        floors.push(await elapsedMs(() => quiet.call("bare", { operationId: "one" })));
        values.push(await elapsedMs(() => quiet.call("state", { operationId: "one" })));
        behind.push(await elapsedMs(() => busy.call("state", { operationId: "one", storeId: "store-0" })));
      }
      const [floor, value, late] = [percentile(floors, 50), percentile(values, 50), percentile(behind, 50)];
      if (round === 0) continue;
      stateRow.push(withFloor({ name: "payment.state", value: rounded(value), unit: "ms" }, floor));
      behindRow.push(withFloor({ name: "payment.state.behind", value: rounded(late), unit: "ms" }, value));
    }
    return [medianRow(stateRow), medianRow(behindRow)];
  } finally {
    await quiet.close();
    await busy.close();
  }
}

/** A payment made over HTTP, compared with the bank's own calls on a kept connection and two commits. */
async function createRow(name: "yookassa" | "tbank"): Promise<Row> {
  const bank = await fakeBank(name);
  const server = await PaymentServer.open({
    kinds: ACQUIRERS,
    settingOf: () => bank.acquirer,
    addresses: { [name]: bank.base },
    follows: false,
  });
  const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-create-"));
  const store = await openStore({ kind: "sqlite", file: join(folder, "floor.sqlite") });
  await store.migrate();
  const client = accountOf(name, bank.acquirer).open({
    clock: systemClock,
    chance: systemChance,
    dataDir: folder,
    addresses: { [name]: bank.base },
    observe: () => {},
  });
  const bare = async () => {
    await commitTo(store);
    const order = {
      paymentId: systemChance.uuid(),
      amountKopecks: 25_920,
      expiresAtMs: systemClock.nowMs() + 600_000,
      description: "Лавка",
      storeId: "store",
    };
    const made = await client.create(order, deadlineIn(systemClock, 5_000));
    if (made.kind !== "created") throw new Error(`the bank has not made a payment: ${made.kind}`);
    await commitTo(store);
  };
  try {
    let count = 0;
    const rows: ReturnType<typeof withFloor>[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [floors, values] = [[], []] as [number[], number[]];
      for (let n = 0; n < CREATES; n += 1) {
        floors.push(await elapsedMs(bare));
        count += 1;
        values.push(await elapsedMs(() => server.call("qr", { operationId: `operation-${count}` })));
      }
      if (round > 0)
        rows.push(
          withFloor({ name: `payment.create.${name}`, value: rounded(percentile(values, 50)), unit: "ms" }, percentile(floors, 50)),
        );
    }
    return medianRow(rows);
  } finally {
    await client.close();
    await server.close();
    await bank.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The time from the buyer's payment at the bank, which notifies, to DONE for a till that asks again and again. Compared with one reading at
 * the bank and the four necessary commits: the notification, the lease, the result of the reading, and the status that the till is told.
 */
async function toldRow(): Promise<Row> {
  const bank = await fakeBank("tbank");
  const server = await PaymentServer.open({
    kinds: ACQUIRERS,
    settingOf: () => bank.acquirer,
    addresses: { tbank: bank.base },
    follows: false,
  });
  const client = accountOf("tbank", bank.acquirer).open({
    clock: systemClock,
    chance: systemChance,
    dataDir: ".",
    addresses: { tbank: bank.base },
    observe: () => {},
  });
  try {
    const rows: ReturnType<typeof withFloor>[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [floors, values] = [[], []] as [number[], number[]];
      for (let n = 0; n < CREATES / 2; n += 1) {
        const operationId = `told-${round}-${n}`;
        await server.call("qr", { operationId });
        const payments = (await (await fetch(`${bank.control}/payments`)).json()) as { id: string }[];
        const id = payments.at(-1)?.id ?? "";
        floors.push(
          await elapsedMs(async () => {
            await client.read(id, deadlineIn(systemClock, 5_000));
            for (let commit = 0; commit < 4; commit += 1) await commitTo(server.store);
          }),
        );
        values.push(await elapsedMs(() => told(bank.control, id, () => server.call("state", { operationId }))));
      }
      if (round > 0)
        rows.push(withFloor({ name: "payment.told", value: rounded(percentile(values, 50)), unit: "ms" }, percentile(floors, 50)));
    }
    return medianRow(rows);
  } finally {
    await client.close();
    await server.close();
    await bank.close();
  }
}

/** The buyer pays, the bank notifies, and the till asks until it gets DONE. */
async function told(control: string, id: string, state: () => Promise<unknown>): Promise<void> {
  const paid = await fetch(`${control}/payments/${id}/pay`, { method: "POST", body: "{}" });
  if (!paid.ok) throw new Error(`the bank has not taken the payment: ${await paid.text()}`);
  for (let n = 0; n < CALLS; n += 1) {
    if (JSON.stringify(await state()).includes("DONE")) return;
    await pause(systemClock, 1);
  }
  throw new Error("the till never heard DONE");
}

/** Commits one small row, as each step of a payment does. */
function commitTo(store: Pick<Store, "commit">): Promise<unknown> {
  const row = { address: systemChance.uuid(), body: "x".repeat(500), fetched_at_ms: 0, max_age_ms: 0 };
  return store.commit((tx) => tx.insertInto("key_sets").values(row).execute());
}

function fakeBank(name: "yookassa" | "tbank") {
  const options = { port: 0, seed: 1, data: undefined, notifyUrl: undefined, payAfterMs: undefined, faults: [], clockAheadMs: 0 };
  return openBank({ ...options, name, clock: systemClock, log: silentLog });
}

function accountOf(name: string, setting: string): AcquirerAccount {
  const parsed = acquirerNamed(name)?.parse(setting);
  if (parsed?.kind !== "account") throw new Error(`no account of ${name}`);
  return parsed.account;
}

/** An acquirer in memory that takes two seconds for each reading, with one account for each point of sale. */
function slowKind(): AcquirerKind {
  const payments = new Map<string, BankPayment>();
  const account = (merchant: string): AcquirerAccount => ({
    acquirer: "slow",
    merchant,
    shown: "slow",
    secrets: [],
    capabilities: {
      leastKopecks: 1,
      mostKopecks: 100_000_000,
      expiry: { kind: "chosen", leastMs: 60_000, mostMs: 3_600_000 },
      cancelBeforePayment: true,
      partialRefund: true,
      leastRefundKopecks: 1,
      refundIdempotent: true,
    },
    open: () => ({
      async create({ paymentId, amountKopecks }) {
        payments.set(paymentId, { bankId: paymentId, status: "waiting", rawStatus: "waiting", amountKopecks });
        return { kind: "created", bankId: paymentId, qrText: `https://qr.nspk.ru/X?sum=${amountKopecks}` };
      },
      find: async () => ({ kind: "none" }),
      async read(bankId) {
        await pause(systemClock, SLOW_BANK_MS);
        const payment = payments.get(bankId);
        return payment === undefined ? { kind: "unknown", problem: "not there" } : { kind: "payment", payment };
      },
      cancel: async () => ({ kind: "accepted" }),
      refund: async () => ({ kind: "done" }),
      readRefund: async () => ({ kind: "done" }),
      close: async () => {},
    }),
  });
  return {
    name: "slow",
    form: "slow?shop=…",
    fields: [],
    idOfNoPayment: "0",
    simulated: true,
    parse: (setting) => ({ kind: "account", account: account(setting) }),
    readNotification: () => ({ kind: "not-genuine", reason: "none" }),
    answerTo: () => ({ status: 200, body: "" }),
  };
}

async function microseconds<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<number> {
  const startedMs = systemClock.monotonicMs();
  for (const item of items) await work(item);
  return ((systemClock.monotonicMs() - startedMs) * 1_000) / items.length;
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedMs = systemClock.monotonicMs();
  await work();
  return systemClock.monotonicMs() - startedMs;
}
