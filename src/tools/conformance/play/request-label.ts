import { type BasketLine, basketKopecks } from "../../sandbox/caller/basket.ts";
import { cashBody, returnBody, saleBody, shiftBody, type TillContext } from "../../sandbox/caller/bodies.ts";
import type { Call } from "../../sandbox/caller/call.ts";
import type { FiscalOperation } from "../../sandbox/caller/fiscal-operation.ts";
import type { PlatformNames } from "../../sandbox/caller/names.ts";
import { GOODS } from "../../sandbox/caller/shop.ts";
import { wordsOfChanges } from "../exchanges/changes.ts";
import { parsed } from "../exchanges/sent.ts";

/** Differences from the platform's request. Null omits a header. */
export interface FiscalChange {
  path?: string;
  method?: Call["method"];
  signature?: string | null;
  accountId?: string | null;
  gzip?: boolean;
  contentType?: string;
  /** Other names for the header of the signature and the header of the account. */
  names?: { signatureHeader: string; accountHeader: string };
  /** The report's words for a change outside the body. */
  label?: string;
}

/** The basket of ordinary sales: two loaves of bread. */
export const LOAVES: BasketLine[] = [{ goods: GOODS.bread, quantityThousandths: 2000 }];
const MAX_SHOWN_BYTES = 20;

/** Describes the unusual parts of a fiscal request. Empty: none. */
export function requestLabel(
  bytes: Buffer,
  ordinary: object,
  { change, names, repeated }: { change: FiscalChange; names: PlatformNames; repeated: boolean },
): string {
  const { signatureHeader, accountHeader } = change.names ?? names;
  const value = parsed(bytes.toString("utf8"));
  const changes = typeof value === "object" && value !== null ? wordsOfChanges(ordinary, value) : `the body ${shown(bytes)}`;
  const words = [
    repeated ? "the same body again" : changes,
    ...header(signatureHeader, change.signature),
    ...header(accountHeader, change.accountId),
    ...(change.names === undefined ? [] : [`${signatureHeader} and ${accountHeader}`]),
    ...(change.gzip === true ? ["gzip"] : []),
    ...(change.contentType === undefined ? [] : [`Content-Type ${change.contentType}`]),
    ...(change.label === undefined ? [] : [change.label]),
  ];
  return words.filter((word) => word !== "").join(", ");
}

/** Returns an ordinary body of this till, to compare the sent body with. Its ids and its number are placeholders. */
export function ordinaryBody(till: TillContext, operation: FiscalOperation, moment: string): object {
  const head = { id: till.shiftId, name: "00000", moment };
  const trade = { ...head, lines: LOAVES, payments: { cashKopecks: basketKopecks(LOAVES) } };
  switch (operation) {
    case "openshift":
      return shiftBody(till, "open", moment);
    case "closeshift":
      return shiftBody(till, "close", moment);
    case "retaildemand":
      return saleBody(till, trade);
    case "retaisalesreturn":
      return returnBody(till, { ...trade, demandId: head.id });
    case "retaildrawercashin":
      return cashBody(till, "in", { ...head, sumKopecks: 100_00 });
    case "retaildrawercashout":
      return cashBody(till, "out", { ...head, sumKopecks: 100_00 });
  }
}

function header(name: string, value: string | null | undefined): string[] {
  if (value === undefined) return [];
  return [value === null ? `no ${name}` : `another ${name}`];
}

function shown(bytes: Buffer): string {
  if (bytes.length === 0) return "of no bytes";
  return bytes.length > MAX_SHOWN_BYTES ? `of ${bytes.length} bytes` : JSON.stringify(bytes.toString("utf8"));
}
