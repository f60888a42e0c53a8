import { present } from "../../../kernel/present.ts";
import { type BasketLine, roubles } from "./basket.ts";
import type { Person } from "./shop.ts";

/** The till for the documents of a shift. All ids belong to the platform. */
export interface TillContext {
  /** The URL of the platform's JSON API, for hrefs. */
  api: string;
  storeId: string;
  shiftId: string;
  shiftName: string;
  cashierId: string;
  cashier: Person;
}

interface DocumentHead {
  id: string;
  idType?: "native" | "sync";
  /** The document number from the platform. */
  name: string;
  /** `YYYY-MM-DD HH:MM:SS` in the shop's local time. */
  moment: string;
}

interface TradeHead extends DocumentHead {
  lines: readonly BasketLine[];
  payments: { cashKopecks?: number; cardKopecks?: number; qrKopecks?: number };
}

/** Returns the body of openshift or closeshift. Both use the shift itself as document. */
export function shiftBody(till: TillContext, kind: "open" | "close", moment: string): object {
  return {
    retailShift: reference(till, "RetailShift", till.shiftId),
    name: till.shiftName,
    retailstore: reference(till, "RetailStore", till.storeId),
    cashier: cashierOf(till),
    [kind === "open" ? "openMoment" : "closeMoment"]: moment,
  };
}

export function saleBody(till: TillContext, sale: TradeHead & { phone?: string; email?: string }): object {
  return {
    ...head(till, "RetailDemand", sale),
    cashier: cashierOf(till),
    ...trade(till, sale),
    ...present({ phone: sale.phone, email: sale.email }),
  };
}

/** Returns the body of a return. It has no cashier (platform-contracts 4.4). */
export function returnBody(till: TillContext, goodsBack: TradeHead & { demandId: string; demandIdType?: "native" | "sync" }): object {
  return {
    ...head(till, "RetailSalesReturn", goodsBack),
    demand: reference(till, "RetailDemand", goodsBack.demandId, goodsBack.demandIdType),
    ...trade(till, goodsBack),
  };
}

/** Returns the body of cash in or cash out. Its sum is in kopecks (platform-contracts 4.5). */
export function cashBody(till: TillContext, kind: "in" | "out", cash: DocumentHead & { sumKopecks: number }): object {
  const type = kind === "in" ? "RetailDrawerCashIn" : "RetailDrawerCashOut";
  return { ...head(till, type, cash), cashier: cashierOf(till), sum: String(cash.sumKopecks) };
}

function head(till: TillContext, type: string, { id, idType, name, moment }: DocumentHead): object {
  return {
    ...reference(till, type, id, idType),
    name,
    retailstore: reference(till, "RetailStore", till.storeId),
    retailShift: reference(till, "RetailShift", till.shiftId),
    moment,
  };
}

function trade(till: TillContext, { lines, payments }: TradeHead): object {
  return {
    payments: {
      cashSum: roubles(payments.cashKopecks ?? 0),
      cardSum: roubles(payments.cardKopecks ?? 0),
      ...present({ qrSum: payments.qrKopecks === undefined ? undefined : roubles(payments.qrKopecks) }),
    },
    positions: lines.map((line) => position(till, line)),
    vatEnabled: true,
    vatIncluded: true,
  };
}

function position(till: TillContext, { goods, quantityThousandths, discountHundredths = 0, marks = [] }: BasketLine): object {
  return {
    assortment: { ...reference(till, goods.type, goodsId(goods.name)), name: goods.name },
    uom: goods.unit,
    quantity: quantityThousandths / 1000,
    price: roubles(goods.priceKopecks),
    discount: String(discountHundredths / 100),
    pack: null,
    vat: goods.vat ?? 0,
    vatEnabled: goods.vat !== undefined,
    marks,
  };
}

function cashierOf(till: TillContext): object {
  return { ...reference(till, "Employee", till.cashierId), ...till.cashier };
}

function reference(till: TillContext, type: string, id: string, idType: "native" | "sync" = "native"): object {
  const path = `${type.toLowerCase()}/${idType === "sync" ? "syncid/" : ""}${id}`;
  return { meta: { href: `${till.api}/entity/${path}`, id, type, idType } };
}

/** Returns an id for goods: a digest of the name as UUID, so the same goods always have the same id. */
export function goodsId(name: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(name)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  const digits = hash.toString(16).padStart(16, "0");
  return `00000000-${digits.slice(0, 4)}-4000-8000-${digits.slice(4)}`;
}
