import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Installations } from "../../src/accounts/installations.ts";
import { Clients } from "../../src/accounts/shop/clients.ts";
import { Links } from "../../src/accounts/shop/links.ts";
import { SaleLookUp } from "../../src/accounts/shop/look-up.ts";
import { ShopObjects } from "../../src/accounts/shop/shop-objects.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { Secret } from "../../src/kernel/secret.ts";
import type { TradeOperation } from "../../src/model/operation.ts";
import type { Wire } from "../../src/platform/api/exchange.ts";
import { createSeal } from "../../src/security/seal.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { medianRow, type Part, type Row, rounded, withFloor } from "./row.ts";

const POSITIONS = 10;
const ROUNDS = 9;
const SALES = 500;

/**
 * The time to find the data of ten goods for a sale when all of them are stored, in a database in a file. Compared with the
 * same sale of an installation without access to the platform.
 */
export const lookUpBench: Part = {
  prefix: "platform.look-up",
  async run(note): Promise<Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-"));
    const store = await openStore({ kind: "sqlite", file: join(folder, "fiscal.sqlite") });
    try {
      await store.migrate();
      const { lookUp, known, stranger } = await scene(store);
      const sale = saleOf();
      const rows: (Row & { ratio: number })[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const keptMs = await perSaleMs(() => lookUp.lookUp(known, sale));
        const withoutMs = await perSaleMs(() => lookUp.lookUp(stranger, sale));
        rows.push(withFloor({ name: "platform.look-up", value: rounded(keptMs), unit: "ms" }, withoutMs));
      }
      note(`a look-up of ${POSITIONS} goods: ${rows.map(({ value }) => value).join(", ")} ms`);
      return [medianRow(rows)];
    } finally {
      await store.close();
      rmSync(folder, { recursive: true });
    }
  },
};

async function scene(store: Store) {
  const seal = createSeal(new Secret("key of the bench"));
  const common = { store, seal, clock: systemClock, chance: systemChance, log: silentLog };
  const installations = new Installations(common);
  const [known, stranger] = [randomUUID(), randomUUID()].map((accountId) => ({ appId: "bench", accountId }));
  if (known === undefined || stranger === undefined) throw new Error("no installations");
  await installations.activate(known, { accessToken: new Secret("a token") }, "active");
  await installations.activate(stranger, {}, "active");
  const profile = { ...PLATFORM_PROFILES.canonical, baseUrl: "http://127.0.0.1:9" };
  const clients = new Clients({ ...common, installations, profile, wire: NOBODY });
  const objects = new ShopObjects(store);
  const links = new Links(common);
  await links.pinMoneyScale(known, 1);
  const goods = saleOf().positions.map(({ assortment }) => ({ type: "product" as const, id: assortment.id ?? "", kind: "goods" as const }));
  const shop = { type: "retailstore" as const, id: STORE_ID, name: "Касса", cashierIds: [] };
  await objects.keep(
    known,
    [...goods, shop].map((object) => ({ type: object.type, id: object.id, object })),
    systemClock.nowMs(),
  );
  const lookUp = new SaleLookUp({ ...common, clients, objects, links, moneyScale: 1, observe: () => {} });
  return { lookUp, known, stranger };
}

/** Stored data is used without a request, so any request fails. */
const NOBODY: Wire = {
  exchange: () => Promise.reject(new Error("the platform was asked")),
  close: async () => {},
  abandon: async () => {},
};

const STORE_ID = "00000000-0000-4000-8000-000000000001";

function saleOf(): TradeOperation {
  const position = (at: number) => ({
    assortment: { id: `00000000-0000-4000-8000-${String(at).padStart(12, "1")}`, type: "Product", name: `Товар ${at}` },
    ...{ quantityMillionths: 1_000_000, priceKopecks: 5_490, discountPercent: "0", vatPercent: "10", vatEnabled: true, marks: [] },
  });
  return {
    kind: "sale",
    document: { id: "00000000-0000-4000-8000-000000000002", idType: "native" },
    shift: { id: "00000000-0000-4000-8000-000000000003", idType: "native" },
    storeId: STORE_ID,
    name: "00001",
    moment: "2026-11-13 10:00:00",
    positions: Array.from({ length: POSITIONS }, (_, at) => position(at)),
    payments: {
      ...{ cashKopecks: 54_900, cardKopecks: 0, qrKopecks: 0, advanceKopecks: 0 },
      ...{ prepaymentCashKopecks: 0, prepaymentCardKopecks: 0, prepaymentQrKopecks: 0 },
    },
    vatEnabled: true,
    vatIncluded: true,
  };
}

async function perSaleMs(lookUp: () => Promise<unknown>): Promise<number> {
  for (let at = 0; at < SALES / 10; at += 1) await lookUp();
  const beganMs = performance.now();
  for (let at = 0; at < SALES; at += 1) await lookUp();
  return (performance.now() - beganMs) / SALES;
}
