import type { InstallationKey } from "../../accounts/installation.ts";
import { wallAsUtcMs, wallTimeAt } from "../../kernel/moment.ts";
import type { PaymentState } from "../../model/payment.ts";
import { listedPayments } from "../../payments/finding/found-payments.ts";
import type { PaymentFilter } from "../../payments/finding/search-queries.ts";
import { type ListedPayment, listedPaymentOf } from "../../payments/listed-payment.ts";
import type { Payment } from "../../payments/payment.ts";
import type { OperatorPayments } from "./services.ts";

export interface PaymentWish {
  appId?: string;
  accountId?: string;
  storeId?: string;
  state?: PaymentState;
  /** A day such as 2026-11-29, in the zone of each point of sale. */
  day?: string;
  limit: number;
}

interface PaymentListing {
  /** The newest first. */
  payments: readonly ListedPayment[];
  /** True when older payments match too. */
  more: boolean;
}

const PAGE_ROWS = 500;
/** The largest differences of a zone's clock from UTC: zones range from UTC-12 to UTC+14. */
const MOST_AHEAD_MS = 14 * 3_600_000;
const MOST_BEHIND_MS = 12 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Returns the payments that match the wish. */
export async function paymentList({ services }: Pick<OperatorPayments, "services">, wish: PaymentWish): Promise<PaymentListing> {
  const { day, limit, ...filter } = wish;
  const isOfDay = day === undefined ? () => Promise.resolve(true) : dayFilter(services.settingsOf, day);
  const payments: ListedPayment[] = [];
  let after: PaymentFilter["after"];
  for (;;) {
    const page: PaymentFilter = {
      ...filter,
      ...(day === undefined ? {} : momentsOf(day)),
      ...(after === undefined ? {} : { after }),
      limit: PAGE_ROWS,
    };
    const rows = await listedPayments(services.store, page);
    for (const payment of rows.map(listedPaymentOf)) {
      if (!(await isOfDay(payment))) continue;
      if (payments.length === limit) return { payments, more: true };
      payments.push(payment);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return { payments, more: false };
    after = { createdAtMs: last.created_at_ms, id: last.id };
  }
}

/** Returns the period that contains this day in every zone. */
function momentsOf(day: string): { fromMs: number; toMs: number } {
  const midnightMs = wallAsUtcMs(`${day} 00:00:00`);
  return { fromMs: midnightMs - MOST_AHEAD_MS, toMs: midnightMs + DAY_MS + MOST_BEHIND_MS };
}

function dayFilter(settingsOf: OperatorPayments["services"]["settingsOf"], day: string): (payment: ListedPayment) => Promise<boolean> {
  const zones = new Map<string, string>();
  return async (payment) => {
    const zone = await zoneOf(payment, zones, settingsOf);
    return wallTimeAt(payment.createdAtMs, zone).slice(0, day.length) === day;
  };
}

async function zoneOf(
  payment: InstallationKey & Pick<Payment, "storeId">,
  zones: Map<string, string>,
  settingsOf: OperatorPayments["services"]["settingsOf"],
): Promise<string> {
  const place = `${payment.appId}/${payment.accountId}/${payment.storeId}`;
  const zone = zones.get(place) ?? (await settingsOf(payment, payment.storeId)).timeZone;
  zones.set(place, zone);
  return zone;
}
