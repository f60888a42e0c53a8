import { once } from "node:events";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { DeviceExchanges } from "../../src/journal/exchanges.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { updatePayment } from "../../src/payments/payment-queries.ts";
import type { RegisterState } from "../../src/registers/register.ts";
import type { Seen } from "../../src/registers/watched-register.ts";
import { type ConsoleScene, consoleScene } from "./console-scene.ts";
import { LOYALTY_KEY } from "./loyalty-bench.ts";
import { DAY_MS, HOUR_MS, once as struckOnce } from "./registers.ts";
import { cashOperation, SHIFT, saleOperation, shiftOperation, Till } from "./till.ts";

/** A shop with everything that the console shows, at a port that a browser can reach. */
export interface ConsoleShop extends ConsoleScene {
  /** `http://console.test:PORT`. */
  base: string;
  memberId: string;
  paymentId: string;
}

/**
 * Yesterday had a shift with receipt 00031 and a refused payment out of the drawer. Today has sales, a doubt, members, and payments and
 * registers in several states.
 */
export async function consoleShop(): Promise<ConsoleShop> {
  const till = await Till.open();
  const registers: Seen[] = [];
  const scene = await consoleScene(till, { seen: () => registers });
  scene.shopNames.set("account/store", "Магазин у дома, касса № 1");
  scene.shopNames.set(`${LOYALTY_KEY.accountId}/22222222-0000-4000-8000-000000000001`, "Пекарня «Колос» на Садовой");
  await yesterday(till);
  await today(till);
  const paymentId = await qrPayments(scene);
  const memberId = await members(scene);
  await exchange(till);
  registers.push(...(await watched(till)));
  const server = createServer(scene.app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    ...scene,
    base: `http://console.test:${typeof address === "object" ? address?.port : 0}`,
    memberId,
    paymentId,
  };
}

async function yesterday(till: Till): Promise<void> {
  await till.openShift();
  for (const number of [29, 30, 31, 32]) await till.submitAndWait(saleOperation(`sale-${number}`, { name: `000${number}` }));
  await till.submitAndWait(cashOperation("cash-out", "cash-1", 10_000_000, { name: "00007" }));
  await till.submitAndWait(shiftOperation("close-shift", { document: { id: "closing-1", idType: "native" } }));
  for (let hour = 0; hour < 24; hour += 1) await till.trial.later(HOUR_MS);
}

async function today(till: Till): Promise<void> {
  const shift = { ...SHIFT, id: "shift-2" };
  await till.openShift({ shift, document: shift });
  for (const number of [1, 2, 31])
    await till.submitAndWait(saleOperation(`today-${number}`, { shift, name: String(number).padStart(5, "0") }));
  till.trial.inject({ after: struckOnce("receipt", { kind: "power-cut" as const }) });
  await till.submitAndWait(saleOperation("doubt", { shift, name: "00032" }));
  await till.settled();
  till.trial.device.powerOn();
}

/** Stores the commands that a device and its driver would have exchanged for yesterday's receipt 00031. */
async function exchange(till: Till): Promise<void> {
  const { store, journal, trial } = till;
  const [entry] = await journal.list({ documentId: "sale-31", limit: 1 });
  if (entry === undefined) throw new Error("the sale is gone");
  const exchanges = new DeviceExchanges({ store, clock: trial.clock, log: silentLog });
  const ended = exchanges.begin(entry.register, entry);
  const commands = ["openReceipt", "fnOperation", "fnSendTlv", "closeReceipt", "fnStatus"];
  for (const [at, command] of commands.entries())
    exchanges.note(entry.register, { command, atMs: entry.acceptedAtMs + at * 80, tookMs: 60 + at, code: at === 2 ? "4Eh" : "0" });
  ended();
  await exchanges.close();
}

/** Amounts by which the simulated acquirer decides. */
const [NEVER_PAID, REFUND_REFUSED, PLAIN] = [125_902, 8_407, 25_920];

async function qrPayments({ payments, till }: ConsoleScene): Promise<string> {
  for (const [operationId, amountKopecks] of [
    ["payment-1", PLAIN],
    ["payment-2", REFUND_REFUSED],
    ["payment-3", NEVER_PAID],
  ] as const) {
    await payments.create({ operationId, amountKopecks });
    await payments.follow(3_000);
    await payments.state({ operationId });
  }
  const { payment } = await payments.stored("payment-3");
  await till.store.commit((tx) => updatePayment(tx, payment.id, { state: "unknown" }));
  return (await payments.stored("payment-1")).payment.id;
}

async function members({ loyalty, installations }: ConsoleScene): Promise<string> {
  await installations.activate(LOYALTY_KEY, { accountName: "Пекарня «Колос»" }, "active");
  await installations.activate({ appId: LOYALTY_KEY.appId, accountId: "account" }, { accountName: "Магазин у дома" }, "settings_required");
  const people = [
    ["Анна Иванова", "+79039993344"],
    ["Борис Петрович Сидоров", "+79161112233"],
    ["<b>Вера</b>", "+79260001122"],
  ] as const;
  const ids: string[] = [];
  for (const [name, phone] of people) {
    const made = await loyalty.members.enrol(LOYALTY_KEY, {
      identity: { platformId: phone, phone },
      personal: { name, phone },
      isNative: true,
    });
    ids.push(made.memberId);
  }
  return ids[0] ?? "";
}

async function watched(till: Till): Promise<Seen[]> {
  const { trial } = till;
  const state = await trial.state();
  const identity = await trial.settled(trial.register.identity(trial.deadline));
  const atMs = trial.clock.nowMs();
  const wall = (shiftMs: number) =>
    new Date(Date.parse(`${state.time.replace(" ", "T")}Z`) + shiftMs).toISOString().slice(0, 19).replace("T", " ");
  const seen = (address: string, change: Partial<RegisterState>): Seen => ({
    address,
    emulated: true,
    ...(identity.kind === "reached" ? { identity: { value: identity.value, atMs } } : {}),
    state: { value: { ...state, ...change }, atMs },
    clock: { device: state.time, ours: state.time, zoneKnown: true, atMs },
  });
  const keysUntil = wall(20 * DAY_MS);
  return [
    seen("emulator:store", {}),
    seen("shtrih-m+tcp://10.0.0.7:7778", { drive: { ...state.drive, keysUntil, documentsLeft: 6_200 } }),
    seen("shtrih-m:/dev/ttyUSB0", { queue: { unsent: 143, since: wall(-12 * DAY_MS) } }),
    { ...seen("shtrih-m+tcp://10.0.0.8:7778", {}), unreachable: { reason: "no answer", atMs } },
  ];
}
