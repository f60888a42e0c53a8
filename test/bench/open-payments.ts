import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeAccounts } from "../../src/app/accounts.ts";
import { readConfig } from "../../src/app/config.ts";
import { storeOptionsOf } from "../../src/app/database.ts";
import { pause, systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import { openStore } from "../../src/store/database.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { send } from "../../src/tools/sandbox/caller/call.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";
import { qrCall } from "../../src/tools/sandbox/caller/qr-call.ts";
import { makeQrKey, type QrKey } from "../../src/tools/sandbox/caller/qr-key.ts";
import { QrKeyAddress } from "../../src/tools/sandbox/caller/qr-key-address.ts";
import { makeQrToken } from "../../src/tools/sandbox/caller/qr-token.ts";
import { Shop, SMALL_BASKET } from "./bench-shop.ts";
import { ManyTerminals } from "./many-terminals.ts";
import { median, type Part, percentile, type Row, rounded, withFloor } from "./row.ts";
import { runLoad } from "./sale.ts";
import { metricsOf } from "./server-work.ts";

const PREFIX = "open-payments.";
const PAYMENTS = 1_000;
/** Each terminal has four payments, so that five calls a second are enough for the shortest step. */
const TERMINALS = 250;
const MINUTES = 10;
const TILLS = 4;
const SALES = 60;
const WARM_UP = 10;
const QUIET_WINDOWS = 3;
const ATTEMPTS = 10;
const MINUTE_MS = 60_000;
/** The follower looks four times a second, and each reading takes a moment. */
const MARGIN_MS = 2_000;

/** A thousand open payments for ten minutes, in a server that sells. It runs only when asked for, because it takes so long. */
export const openPaymentsBench: Part = {
  prefix: PREFIX,
  async run(note, only): Promise<Row[]> {
    if (!only.startsWith(PREFIX)) return [];
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-open-"));
    const bank = new ManyTerminals();
    const keys = new QrKeyAddress();
    const key = await makeQrKey();
    keys.publish([key]);
    await Promise.all([bank.open(), keys.open()]);
    const dataDir = join(folder, "data");
    mkdirSync(dataDir);
    const environment = { HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "info", QR_JWKS_URL: keys.url, TBANK_URL: bank.url };
    const server = new ServerProcess({ dataDir, environment, clock: systemClock, detached: false });
    try {
      await server.start();
      return await measure({ folder, dataDir, server, bank, key, note });
    } finally {
      await server.kill();
      await Promise.all([bank.close(), keys.close()]);
      rmSync(folder, { recursive: true });
    }
  },
};

interface Place {
  folder: string;
  dataDir: string;
  server: ServerProcess;
  bank: ManyTerminals;
  key: QrKey;
  note: (text: string) => void;
}

async function measure(place: Place): Promise<Row[]> {
  const { server, bank, note } = place;
  const shop = new Shop({ tills: TILLS, basket: SMALL_BASKET });
  await shop.open(server.base);
  await setTerminals(place, shop);
  const quiet: number[] = [];
  for (let window = 0; window < QUIET_WINDOWS; window += 1) quiet.push(...(await salesOf(place, shop)));
  await createAll(place, shop);
  note(`${PAYMENTS} payments at ${TERMINALS} terminals are open`);
  bank.lateMs = [];
  const behind: number[] = [];
  const memory: number[] = [];
  const endMs = systemClock.monotonicMs() + MINUTES * MINUTE_MS;
  for (let minute = 1; systemClock.monotonicMs() < endMs; minute += 1) {
    const nextMs = Math.min(endMs, systemClock.monotonicMs() + MINUTE_MS);
    behind.push(...(await salesOf(place, shop)));
    await pause(systemClock, Math.max(0, nextMs - systemClock.monotonicMs()));
    const mb = await residentMb(server.base);
    memory.push(mb);
    note(`minute ${minute}: ${bank.lateMs.length} readings, ${bank.forgotten(MARGIN_MS)} overdue, ${mb.toFixed(0)} MB`);
  }
  const half = Math.ceil(memory.length / 2);
  return [
    { name: `${PREFIX}readings`, value: bank.lateMs.length, unit: "readings" },
    { name: `${PREFIX}late.p99`, value: rounded(percentile(bank.lateMs, 99)), unit: "ms" },
    { name: `${PREFIX}late.max`, value: rounded(Math.max(...bank.lateMs)), unit: "ms" },
    { name: `${PREFIX}calls-a-second.max`, value: bank.mostCallsASecond, unit: "calls" },
    withFloor({ name: `${PREFIX}memory`, value: median(memory.slice(half)), unit: "MB" }, median(memory.slice(0, half))),
    withFloor({ name: `${PREFIX}sales.p50`, value: percentile(behind, 50), unit: "ms" }, percentile(quiet, 50)),
    withFloor({ name: `${PREFIX}sales.p99`, value: percentile(behind, 99), unit: "ms" }, percentile(quiet, 99)),
  ];
}

async function salesOf({ folder, server }: Place, shop: Shop): Promise<number[]> {
  const measured = await runLoad(folder, { base: server.base, tills: shop.sales(TILLS, WARM_UP + SALES), warmUp: WARM_UP });
  return measured.latenciesMs;
}

/** Gives each point of sale a terminal of its own, and codes that outlive the measurement. */
async function setTerminals({ dataDir, server, bank }: Place, shop: Shop): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir, TBANK_URL: bank.url });
  const store = await openStore(storeOptionsOf(config));
  const accounts = composeAccounts({
    config,
    store,
    clock: systemClock,
    chance: systemChance,
    log: silentLog,
    parseRegister: parseAddress,
  });
  try {
    await accounts.settings.set(shop.places, "*", "qrExpiryMinutes", "60");
    for (let number = 0; number < TERMINALS; number += 1) {
      const set = await accounts.settings.set(shop.places, storeOf(number), "acquirer", `tbank?terminalKey=Term${number}&password=secret`);
      if (set.kind === "refused") throw new Error(`the setting of a terminal was refused: ${JSON.stringify(set)}`);
    }
  } finally {
    await accounts.close();
    await store.close();
  }
  if (!server.alive) throw new Error("the server has ended");
}

async function createAll({ server, key }: Place, shop: Shop): Promise<void> {
  for (let number = 0; number < PAYMENTS; number += 1) {
    await create({ server, key }, shop, number);
  }
}

/** Makes a payment. A busy machine may need more than one try. */
async function create({ server, key }: Pick<Place, "server" | "key">, shop: Shop, number: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const token = makeQrToken(key, { issuer: PLATFORM_NAMES.canonical.qrIssuer, lifeS: 60, clock: systemClock, chance: systemChance });
    const body = {
      operationId: `open-${number}`,
      amount: 25_920,
      accountId: shop.places.accountId,
      retailStoreId: storeOf(number % TERMINALS),
    };
    const answer = await send(server.base, qrCall("create", body, token), systemClock);
    if (answer.kind === "answer" && answer.status === 200) return;
    if (attempt === ATTEMPTS)
      throw new Error(`a payment was not made: ${answer.kind === "answer" ? answer.body.toString("utf8") : answer.reason}`);
  }
}

function storeOf(number: number): string {
  return `33333333-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

async function residentMb(base: string): Promise<number> {
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(await metricsOf(base))?.[1]) / 1e6;
}
