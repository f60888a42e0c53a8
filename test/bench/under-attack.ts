import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import type { Attack, AttackCount } from "../support/attacks/attack.ts";
import { ATTACKS } from "../support/attacks/table.ts";
import { type AttackedPlace, PLACE_KINDS, type PlaceKind } from "./attacked-places.ts";
import { BareProcess } from "./bare-process.ts";
import { LONG_BASKET, REGISTERS, Shop } from "./bench-shop.ts";
import type { Load, Measured } from "./load.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { type Part, percentile, type Row, rounded, withFloor } from "./row.ts";
import { generate, runLoad } from "./sale.ts";
import { workedSeconds } from "./server-work.ts";

const ATTACKER = fileURLToPath(new URL("../support/attacks/attacker.ts", import.meta.url));
/** Tills that sell one sale after the other while the server is attacked: half of them on kept connections, half on new ones. */
const TILLS = 4;
/** The sales of each till in a window: 200 in all, so that the p99 is the third slowest of them. */
const SALES = 50;
/** The long sales of each till in a window. All of them come on new connections. */
const LONG_SALES = 8;
const WARM_UP = 3;
/** The sales of each till before anything is measured. After them the server has compiled the code of a sale. */
const WARM_UP_SALES = 12;
/** After this time a till has given up (the platform waits up to nine seconds). */
const LIMIT_MS = 10_000;
/** The longest window. Under the worst attacks a bare server takes seconds for a sale, so such a window has fewer sales. */
const WINDOW_MS = 60_000;
/** The pause before a window. An attack needs a moment to grow, and the server a moment to recover from the one before. */
const SETTLE_MS = 1_500;

/** The windows of short and of long sales. `peaksMb`: the largest memory of each watched process in both. */
interface Windows {
  short: Measured;
  long?: Measured;
  peaksMb: readonly number[];
  /** The machine's load in the last minute. */
  load: number;
}

/** The windows of one place: before the attack, under it and after it. */
interface Windowed {
  before: Windows;
  attacked: Windows;
  after: Windows;
  count: AttackCount;
}

interface Target {
  base: string;
  port: number;
  watched: AttackedPlace["watched"];
  registers: number;
  withLong: boolean;
}

/**
 * The cost of sales while somebody without a key attacks: waits and memory, compared with those of the same server before and
 * after. Where the server stands alone, the growth of the waits is shown beside the growth at Node's own server, which does only
 * the work of a sale.
 */
export const underAttackBenches: readonly Part[] = PLACE_KINDS.map((kind) => ({
  prefix: kind.prefix,
  async run(note, only): Promise<Row[]> {
    const missing = kind.missing();
    if (missing !== undefined) {
      note(`no rows ${kind.prefix}: ${missing}`);
      return [];
    }
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-attack-"));
    try {
      const rows: Row[] = [];
      const wanted = only.startsWith(kind.prefix) ? only : kind.prefix;
      for (const attack of ATTACKS.filter(({ name }) => `${kind.prefix}${name}.`.startsWith(wanted))) {
        rows.push(...(await measure(kind, attack, folder, note)));
      }
      return rows;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
}));

/** Each attack has servers of its own, so that the traces of one do not count for the next. */
async function measure(kind: PlaceKind, attack: Attack, folder: string, note: (text: string) => void): Promise<Row[]> {
  const place = await kind.start(mkdtempSync(join(folder, "place-")));
  let bare: BareProcess | undefined;
  try {
    const shop = new Shop({ tills: Math.min(place.registers, REGISTERS), basket: LONG_BASKET.slice(0, 10) });
    await shop.open(place.openedAt);
    await runLoad(folder, { base: place.base, tills: shop.sales(place.registers, WARM_UP_SALES), warmUp: 2 });
    const beganS = kind.hasFloor ? await workedSeconds(place.base) : 0;
    const before = await windows(folder, place, shop);
    if (kind.hasFloor) {
      const saleMs = (((await workedSeconds(place.base)) - beganS) * 1000) / (TILLS * (WARM_UP + SALES));
      bare = await BareProcess.start({ publicKey: shop.publicKey, saleMs });
    }
    const ours = { before, ...(await underAttack(attack, folder, place, shop)) };
    note(`${kind.prefix}${attack.name}: ${inWords(ours)}`);
    const floor = bare && (await bareWindows(attack, folder, bare, shop));
    if (floor !== undefined) note(`${attack.name}, bare server: ${inWords(floor)}`);
    return rowsOf(`${kind.prefix}${attack.name}`, { place, ours, ...(floor === undefined ? {} : { floor }) });
  } finally {
    await bare?.end();
    await place.end();
  }
}

async function bareWindows(attack: Attack, folder: string, bare: BareProcess, shop: Shop): Promise<Windowed> {
  const target = { base: bare.base, port: Number(new URL(bare.base).port), watched: [{ name: "memory", pid: bare.pid }] };
  const all = { ...target, registers: REGISTERS, withLong: false };
  const before = await windows(folder, all, shop);
  return { before, ...(await underAttack(attack, folder, all, shop)) };
}

async function underAttack(attack: Attack, folder: string, target: Target, shop: Shop): Promise<Omit<Windowed, "before">> {
  const aim = { port: target.port, registrationId: shop.registrationId, appId: shop.places.appId };
  const attacker = spawn(process.execPath, [ATTACKER, attack.name, JSON.stringify(aim)], { stdio: ["ignore", "pipe", "inherit"] });
  const count = lastCount(attacker);
  let attacked: Windows;
  try {
    await once(attacker.stdout, "data");
    attacked = await windows(folder, target, shop);
  } finally {
    attacker.kill("SIGKILL");
    await once(attacker, "exit");
  }
  return { attacked, count: count(), after: await windows(folder, { ...target, withLong: false }, shop) };
}

function lastCount(attacker: ChildProcess): () => AttackCount {
  let text = "";
  attacker.stdout?.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-1_000);
  });
  return () => JSON.parse(text.trim().split("\n").at(-1) ?? "") as AttackCount;
}

async function windows(folder: string, target: Target, shop: Shop): Promise<Windows> {
  const memories = target.watched.map(({ pid }) => new MemoryWatch(pid));
  // Where there are fewer registers than tills, several tills sell at one register.
  const tills = (count: number, basket?: typeof LONG_BASKET) =>
    Array.from({ length: TILLS }, () => shop.sales(Math.min(TILLS, target.registers), count, basket))
      .flat()
      .slice(0, TILLS);
  await pause(systemClock, SETTLE_MS);
  try {
    const short = tills(WARM_UP + SALES).map((till, index) => ({ ...till, fresh: index % 2 === 1 }));
    const load: Load = { base: target.base, tills: short, warmUp: WARM_UP, limitMs: LIMIT_MS, endAfterMs: WINDOW_MS };
    const measured = await generate(folder, load);
    if (!target.withLong) return { short: measured, peaksMb: memories.map(({ peakMb }) => peakMb), load: loadavg()[0] ?? 0 };
    const long = tills(1 + LONG_SALES, LONG_BASKET).map((till) => ({ ...till, fresh: true }));
    const ofLong = await generate(folder, { ...load, tills: long, warmUp: 1 });
    return { short: measured, long: ofLong, peaksMb: memories.map(({ peakMb }) => peakMb), load: loadavg()[0] ?? 0 };
  } finally {
    for (const memory of memories) memory.close();
  }
}

function rowsOf(name: string, { place, ours, floor }: { place: AttackedPlace; ours: Windowed; floor?: Windowed }): Row[] {
  const { before, attacked, after } = ours;
  const timesRow = { name: `${name}.p99-times`, value: rounded(p99Times(ours)), unit: "× quiet" };
  return [
    floor === undefined ? timesRow : withFloor(timesRow, p99Times(floor)),
    ...[50, 99].map((percent) =>
      withFloor({ name: `${name}.p${percent}`, value: p(attacked.short, percent), unit: "ms" }, quietOf(ours, percent)),
    ),
    ...[50, 99].flatMap((percent) =>
      attacked.long === undefined || before.long === undefined
        ? []
        : [withFloor({ name: `${name}.long-p${percent}`, value: p(attacked.long, percent), unit: "ms" }, p(before.long, percent))],
    ),
    { name: `${name}.refused`, value: refusedIn(attacked), unit: "sales" },
    ...place.watched.map(({ name: what }, at) =>
      withFloor({ name: `${name}.${what}`, value: rounded(attacked.peaksMb[at] ?? 0), unit: "MB" }, before.peaksMb[at] ?? 0),
    ),
    { name: `${name}.load`, value: rounded(Math.max(before.load, attacked.load, after.load)), unit: "of the machine" },
  ];
}

function p99Times(windowed: Windowed): number {
  return p(windowed.attacked.short, 99) / quietOf(windowed, 99);
}

/** The sales before the attack and after it together, because the machine's other load may change meanwhile. */
function quietOf({ before, after }: Windowed, percent: number): number {
  return rounded(percentile([...before.short.latenciesMs, ...after.short.latenciesMs], percent));
}

/** The sales that got another answer than 200, or none in time. */
function refusedIn({ short, long }: Windows): number {
  return [short, long].reduce((sum, measured) => sum + (measured === undefined ? 0 : measured.refused + measured.lost), 0);
}

function inWords({ before, attacked, after, count }: Windowed): string {
  const times = (measured: Measured) => `p50 ${p(measured, 50)} p99 ${p(measured, 99)} ms`;
  const of = ({ short, long, peaksMb, load }: Windows) =>
    [
      times(short),
      ...(long === undefined ? [] : [`long ${times(long)}`]),
      `${peaksMb.map(rounded).join("+")} MB, load ${rounded(load)}`,
    ].join(", ");
  const wrong = [attacked.short, attacked.long].flatMap((measured) => measured?.wrong ?? []);
  const lost = refusedIn(attacked) === 0 ? "" : `; ${refusedIn(attacked)} refused or lost: ${wrong.join("; ")}`;
  return `${of(attacked)}; quiet ${of(before)}; after ${of(after)}${lost} ${JSON.stringify(count)}`;
}

function p({ latenciesMs }: Measured, percent: number): number {
  return rounded(percentile(latenciesMs, percent));
}
