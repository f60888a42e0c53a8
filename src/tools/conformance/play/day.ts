import type { FiscalOperation } from "../../sandbox/caller/fiscal-operation.ts";
import { GOODS } from "../../sandbox/caller/shop.ts";
import type { Sent } from "../exchanges/sent.ts";
import { declaredOperations } from "./declared.ts";
import type { Till } from "./till.ts";

export interface Day {
  /** In the order of sending. */
  documents: readonly DayDocument[];
  /** Returns the first document of this kind. Undefined: the server does not declare the operation. */
  of(operation: FiscalOperation): Sent | undefined;
  /** The time just before the first document, by the clock of the run. */
  openedMs: number;
}

export interface DayDocument {
  operation: FiscalOperation;
  sent: Sent;
}

const FLOAT_KOPECKS = 1000_00;

/** Opens the shift, puts cash in, sells twice, takes one sale back, takes cash out, closes the shift. Omits undeclared operations. */
export async function playDay(till: Till): Promise<Day> {
  const openedMs = till.account.services.clock.nowMs();
  const documents: DayDocument[] = [];
  const declared = declaredOperations(till.account.services.target);
  const send = async (operation: FiscalOperation, body: object) => {
    if (declared.includes(operation)) documents.push({ operation, sent: await till.send(operation, body) });
  };
  const sale = till.saleBody();
  const saleId = (sale.meta as { id: string }).id;
  await send("openshift", till.shiftBody("open"));
  await send("retaildrawercashin", till.cashBody("in", FLOAT_KOPECKS));
  await send("retaildemand", sale);
  await send("retaildemand", till.saleBody({ payments: { cardSum: "149.90" } }, [{ goods: GOODS.soap, quantityThousandths: 1000 }]));
  await send("retaisalesreturn", till.returnBody(saleId));
  await send("retaildrawercashout", till.cashBody("out", FLOAT_KOPECKS));
  if (declared.includes("closeshift")) documents.push({ operation: "closeshift", sent: await till.closeShift() });
  return { documents, of: (operation) => documents.find((document) => document.operation === operation)?.sent, openedMs };
}
