import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import { numberIn } from "../../values/number.ts";
import { referenceIn, referenceTo, type Stored, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { CHEQUE_SHAPES } from "./cheques.ts";
import { completeDocument, DOCUMENT, documentTable, pointed, settleDocument } from "./document.ts";

const MAX_PERCENT = 100;
const PERCENTS = ["bankPercent", "qrBankPercent"];
/**
 * The sums of a shift that a body may write (json-api D24). A body must not make these sums negative, but a computed sum may be negative.
 */
const SUMS = ["bankComission", "qrBankComission", "receivedCash", "receivedNoCash"];

/** A shift of a point of sale (json-api 12.1). It is open without `closeDate`; a null in `closeDate` reopens it (json-api D25). */
export const RETAILSHIFT: EntityType = {
  ...DOCUMENT,
  name: "retailshift",
  // `created`, `receivedCash` and `receivedNoCash` are writable, although the documentation marks them read-only (json-api D24).
  fields: documentTable(
    `
    acquire              ref:counterparty|organization  out exp
    agentAccount         ref:account       ro exp
    bankComission        number            out
    bankPercent          number            out
    cheque               object:shiftCheque
    closeDate            datetime          C
    created              datetime          out C
    files                list:file         out exp
    operations           refs:retaildemand|retailsalesreturn|retaildrawercashin|retaildrawercashout  ro out exp
    organizationAccount  ref:account       exp
    paymentOperations    json:objects      ro exp
    proceedsCash         number            ro out
    proceedsNoCash       number            ro out
    qrAcquire            ref:counterparty|organization  out exp
    qrBankComission      number            out
    qrBankPercent        number            out
    receivedCash         number            out
    receivedNoCash       number            out
    retailStore          ref:retailstore   req out exp E
    store                ref:store         out exp
    updated              datetime          ro out C
    vatEnabled           bool              ro out
    vatIncluded          bool
  `,
    CHEQUE_SHAPES,
  ),
  attributesOf: "retailshift",
  states: false,
  webName: "retailshift",
  order: [...DOCUMENT.order.filter((name) => name !== "applicable" && name !== "sum"), "closeDate"],
  complete,
  settle,
  repeated(earlier) {
    if (earlier.values.deleted !== undefined) throw refused(12000);
    if (earlier.values.closeDate !== undefined) throw refused(12001);
  },
  derive: (shift, account) => {
    const turnover = turnoverOf(shift, account);
    return {
      operations: [...account.backlinks.of("retailShift", shift).values()].map(referenceTo),
      proceedsCash: turnover.cash,
      proceedsNoCash: turnover.card + turnover.qr,
      receivedCash: shift.values.receivedCash ?? turnover.cash,
      receivedNoCash: shift.values.receivedNoCash ?? turnover.card + turnover.qr,
    };
  },
};

function complete(draft: Values, writing: Writing): Values {
  const { store, acquire, qrAcquire } = pointed(draft, "retailStore", writing)?.values ?? {};
  return {
    bankComission: 0,
    bankPercent: 0,
    qrBankComission: 0,
    qrBankPercent: 0,
    paymentOperations: [],
    vatEnabled: true,
    vatIncluded: true,
    ...withoutEmpty({ store, acquire, qrAcquire }),
    ...completeDocument("retailshift", draft, writing),
  };
}

function settle(given: Values, before: Stored | undefined, writing: Writing): Values {
  // A shift always has a warehouse, so a null restores its point of sale's warehouse. `cheque` may be empty.
  const draft: Values = { cheque: {}, ...withoutEmpty({ store: pointed(given, "retailStore", writing)?.values.store }), ...given };
  settleDocument("retailshift", draft, before, writing);
  if (Number(draft.closeDate) < Number(draft.moment)) throw refused(3007, "closeDate", "смена закрыта раньше, чем открыта");
  const store = pointed(draft, "retailStore", writing);
  if (before === undefined && store?.values.active === false) throw refused(1068, "retailStore");
  for (const name of [...SUMS, ...PERCENTS]) if (numberIn(draft[name]) < 0) throw refused(3002, name);
  for (const name of PERCENTS) if (numberIn(draft[name]) > MAX_PERCENT) throw refused(3008, name);
  const turnover = before === undefined ? NOTHING_SOLD : turnoverOf(before, writing.account);
  if (numberIn(draft.bankComission) > turnover.card) throw refused(12026, "bankComission");
  if (numberIn(draft.qrBankComission) > turnover.qr) throw refused(12026, "qrBankComission");
  if (writing.call.settings.singleOpenShift && draft.closeDate === undefined) refuseSecond(draft, before, writing);
  return draft;
}

function refuseSecond(draft: Values, before: Stored | undefined, { account }: Writing): void {
  const store = referenceIn(draft.retailStore)?.id;
  const other = [...account.objects.all("retailshift").values()].some(
    ({ id, values }) =>
      id !== before?.id && values.closeDate === undefined && values.deleted === undefined && referenceIn(values.retailStore)?.id === store,
  );
  if (other) throw refused(3007, undefined, "в точке продаж уже открыта смена");
}

interface Turnover {
  cash: number;
  card: number;
  qr: number;
}

const NOTHING_SOLD: Turnover = { cash: 0, card: 0, qr: 0 };

/** Returns posted sales minus posted returns by kind of payment (json-api D25). Documents in the recycle bin do not count. */
function turnoverOf(shift: Stored, account: Account): Turnover {
  const sum = { ...NOTHING_SOLD };
  for (const { type, values } of account.backlinks.of("retailShift", shift).values()) {
    const sign = type === "retaildemand" ? 1 : type === "retailsalesreturn" ? -1 : 0;
    if (values.applicable === false || values.deleted !== undefined) continue;
    sum.cash += sign * numberIn(values.cashSum as Value);
    sum.card += sign * numberIn(values.noCashSum as Value);
    sum.qr += sign * numberIn(values.qrSum as Value);
  }
  return sum;
}
