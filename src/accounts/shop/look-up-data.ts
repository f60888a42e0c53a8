import { present } from "../../kernel/present.ts";
import { type Cashier, cashierNameOf } from "../../model/cashier.ts";
import type { Known, KnownGoods } from "../../model/known.ts";
import type { Operation, SoldPosition, TradeOperation } from "../../model/operation.ts";
import { isUuid } from "../../platform/reference.ts";
import { GOODS_TYPES, isGoods, type ShopGoods, type ShopName, type ShopObject } from "./shop-object.ts";

/** The data for one operation, collected piece by piece. At the look-up's time limit the operation uses what has arrived. */
export class LookUpData {
  readonly #operation: Operation;
  readonly #objects = new Map<string, ShopObject>();
  /** Names of the objects that the operation could need. */
  readonly names: readonly ShopName[];
  isPinned = false;
  /** The sum of the operation's document at the platform. Undefined: the document was not read. */
  documentKopecks: number | undefined;

  constructor(operation: Operation) {
    this.#operation = operation;
    this.names = namesIn(operation);
  }

  /** Adds found objects. An object that does not exist removes earlier data with its id. */
  take(found: readonly { readonly id: string; readonly object?: ShopObject | undefined }[]): void {
    for (const { id, object } of found) {
      if (object === undefined) this.#objects.delete(id);
      else this.#objects.set(id, object);
    }
  }

  /** Returns the data for the receipt. Undefined: there is none. */
  get known(): Known | undefined {
    const cashier = this.#cashier;
    const store = this.#objectOf(this.#operation.storeId);
    const taxSystem = store?.type === "retailstore" ? store.taxSystem : undefined;
    const goods = positionsOf(this.#operation).map((position) => this.#goodsOf(position));
    if (cashier === undefined && taxSystem === undefined && goods.every((each) => each === null)) return undefined;
    return { goods, ...present({ cashier, taxSystem }) };
  }

  get #cashier(): Cashier | undefined {
    const employee = this.#objectOf(this.#operation.cashier?.id);
    if (employee?.type !== "employee") return undefined;
    const { id, firstName, middleName, lastName } = employee;
    return {
      id,
      ...present({ firstName, middleName, lastName }),
    };
  }

  #goodsOf({ assortment }: SoldPosition): KnownGoods | null {
    const found = this.#objectOf(assortment.id);
    return found !== undefined && isGoods(found) ? saidBy(found) : null;
  }

  #objectOf(id: string | undefined): ShopObject | undefined {
    return id === undefined ? undefined : this.#objects.get(id.toLowerCase());
  }
}

function namesIn(operation: Operation): ShopName[] {
  const { storeId, cashier } = operation;
  const names: ShopName[] = positionsOf(operation).flatMap(({ assortment }) => goodsName(assortment));
  // The point of sale of a sale or return is read too: its tax system also applies to goods that the platform does not know.
  if (isTrade(operation)) names.push({ type: "retailstore", id: storeId });
  if (cashierNameOf(cashier) === undefined && cashier?.id !== undefined) names.push({ type: "employee", id: cashier.id });
  // The platform does not know a till's own ids.
  const ofPlatform = names.filter(({ id }) => isUuid(id));
  // The platform writes its ids in lower case.
  const asWritten = ofPlatform.map(({ type, id }) => ({ type, id: id.toLowerCase() }));
  return [...new Map(asWritten.map((name) => [name.id, name])).values()];
}

function goodsName({ id, type }: SoldPosition["assortment"]): ShopName[] {
  const known = GOODS_TYPES.find((each) => each === type?.toLowerCase());
  return id === undefined || known === undefined ? [] : [{ type: known, id }];
}

function positionsOf(operation: Operation): readonly SoldPosition[] {
  return isTrade(operation) ? operation.positions : [];
}

/** Whether the operation has positions. */
export function isTrade(operation: Operation): operation is TradeOperation {
  return operation.kind === "sale" || operation.kind === "sales-return";
}

function saidBy({ kind, taxSystem, unit, marked }: ShopGoods): KnownGoods {
  return {
    ...present({ kind, taxSystem, unit, marked }),
  };
}
