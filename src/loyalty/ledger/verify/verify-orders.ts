import type { OrderRow } from "../../../store/loyalty-tables.ts";
import type { Db } from "../ledger-queries.ts";
import { compared, type Finding } from "./finding.ts";
import { linesOfOrders, movedByOrders, returnedOfSales } from "./order-verify-queries.ts";

/** Compares orders with their entries, lines and returns. Pass the orders ordered by id. */
export async function checkOrders(db: Db, orders: readonly OrderRow[]): Promise<Finding[]> {
  const [first, last] = [orders[0]?.id ?? 0, orders.at(-1)?.id ?? -1];
  const moved = new Map<string, number>();
  for (const { orderId, kind, points } of await movedByOrders(db, first, last)) moved.set(`${orderId}/${kind}`, points);
  const returned = new Map((await returnedOfSales(db, first, last)).map((each) => [each.saleId, each]));
  const lines = new Map((await linesOfOrders(db, first, last)).map((each) => [each.orderId, each]));
  return orders.flatMap((order) => {
    const pointsOf = (kind: string) => moved.get(`${order.id}/${kind}`) ?? 0;
    return [
      ...(order.type === "sale" ? saleFindings(order, pointsOf, returned.get(order.id)) : []),
      ...(order.type === "return" ? returnFindings(order, pointsOf) : []),
      ...(order.type === "import" || order.state !== "booked" ? [] : lineFindings(order, lines.get(order.id))),
    ];
  });
}

function saleFindings(
  order: OrderRow,
  pointsOf: (kind: string) => number,
  returned: { spent: number; earned: number } | undefined,
): Finding[] {
  const place = placeOf(order);
  return [
    ...compared(place, "spent", order.spent, 0 - pointsOf("SPEND")),
    ...compared(place, "earned", order.earned, pointsOf("EARN")),
    ...compared(place, "given_back", order.given_back, returned?.spent ?? 0),
    ...compared(place, "clawed_back", order.clawed_back, returned?.earned ?? 0),
    ...compared(place, "given_back", order.given_back, within(order.given_back, order.spent)),
    ...compared(place, "clawed_back", order.clawed_back, within(order.clawed_back, order.earned)),
  ];
}

/** A return may move fewer points than its share: expired points are forfeited, and debts may be forgotten. */
function returnFindings(order: OrderRow, pointsOf: (kind: string) => number): Finding[] {
  const place = placeOf(order);
  const given = pointsOf("SPEND_REVERSAL");
  const taken = 0 - pointsOf("EARN_REVERSAL");
  return [
    ...compared(place, "spent", order.spent, Math.max(order.spent, given)),
    ...compared(place, "earned", order.earned, Math.max(order.earned, taken)),
  ];
}

function lineFindings(order: OrderRow, found: { lines: number; highest: number; paidKopecks: number } | undefined): Finding[] {
  const { lines, highest, paidKopecks } = found ?? { lines: 0, highest: 0, paidKopecks: 0 };
  const place = placeOf(order);
  const isWhole: Finding[] = lines === highest ? [] : [{ ...place, table: "loyalty_order_lines", fault: { code: "missing" } }];
  return [...isWhole, ...compared(place, "paid_kopecks", order.paid_kopecks, paidKopecks)];
}

function within(points: number, most: number): number {
  return Math.min(Math.max(points, 0), most);
}

function placeOf({ id, member_id: memberId }: OrderRow) {
  return { table: "loyalty_orders", row: String(id), ...(memberId === null ? {} : { memberId }) } as const;
}
