import type { Clock } from "../kernel/clock.ts";
import type { PlatformApi } from "./api/api.ts";
import { PlatformFailure } from "./api/failure.ts";
import type { Meta, Moment, Ref } from "./entities/meta.ts";
import { readLater } from "./later.ts";
import { arrayIn, type Page, pageIn } from "./page.ts";
import { filterText } from "./query/filter.ts";
import { readAll } from "./query/paging.ts";
import { type Bounds, boundsOf, MAX_LIMIT, type Order, orderText } from "./query/query.ts";
import { hrefOf } from "./reference.ts";

/** A row of the full report (json-api 14.1). Its href has a query part, which `hrefOf` removes. */
interface StockRow {
  readonly meta: Meta;
  readonly name: string;
  readonly code?: string | null;
  readonly article?: string | null;
  readonly externalCode?: string | null;
  readonly stock: number;
  readonly inTransit: number;
  readonly reserve: number;
  readonly quantity: number;
  /** Cost in minor units. */
  readonly price?: number | null;
  readonly salePrice?: number | null;
  readonly stockDays?: number | null;
  readonly uom?: Ref | null;
  readonly folder?: { readonly meta: Meta; readonly name: string; readonly pathName: string } | null;
  readonly image?: unknown;
}

interface StoreStockRow {
  readonly meta: Meta;
  readonly stockByStore: readonly {
    readonly meta: Meta;
    readonly name: string;
    readonly stock: number;
    readonly reserve: number;
    readonly inTransit: number;
  }[];
}

/** Selects the rows of the report. This is the form of the newer documentation, inside `filter` (D36). */
type StockMode = "all" | "positiveOnly" | "negativeOnly" | "empty" | "nonEmpty" | "underMinimum";

interface StockFilter {
  readonly store?: Ref | readonly Ref[];
  readonly product?: Ref | readonly Ref[];
  readonly variant?: Ref | readonly Ref[];
  readonly supplier?: Ref | readonly Ref[];
  readonly productFolder?: Ref | readonly Ref[];
  readonly withSubFolders?: boolean;
  readonly archived?: boolean | readonly boolean[];
  readonly moment?: Moment;
  readonly stockMode?: StockMode;
  readonly quantityMode?: StockMode;
  readonly reserveOnly?: boolean;
  readonly inTransitOnly?: boolean;
  readonly stockDaysFrom?: number;
  readonly stockDaysTo?: number;
  readonly search?: string;
}

interface StockQuery extends Bounds {
  /**
   * Returns goods without stock too. This is the older form, a parameter beside `filter`, as in the platform's sample. The newer form
   * is `filter.stockMode` (D36).
   */
  readonly stockMode?: "all";
  readonly filter?: StockFilter;
  readonly groupBy?: "product" | "variant" | "consignment";
  readonly order?: Order<
    "name" | "code" | "productCode" | "pathName" | "stock" | "reserve" | "inTransit" | "quantity" | "price" | "salePrice"
  >;
}

type StockType = "stock" | "freeStock" | "quantity" | "reserve" | "inTransit";

interface ShortStockQuery extends Bounds {
  readonly stockType?: StockType;
  readonly include?: "zeroLines";
  /** Only goods whose values changed after this moment. The moment must be at most a day ago. */
  readonly changedSince?: Moment;
  readonly assortmentIds?: readonly string[];
  readonly storeIds?: readonly string[];
}

/** A row of the short report. Its value is named after the `stockType`; null while the platform computes it. */
type ShortStockRow = { readonly assortmentId: string; readonly storeId?: string | null } & {
  readonly [Type in StockType]?: number | null;
};

/** Stock reports (json-api 14). A full report costs five units of the rate. */
export class Stock {
  readonly #api: PlatformApi;
  readonly #clock: Clock;

  constructor(api: PlatformApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  async page(query: StockQuery & { readonly limit?: number; readonly offset?: number } = {}): Promise<Page<StockRow>> {
    return await this.#page<StockRow>("report/stock/all", query);
  }

  async pageByStore(query: StockQuery & { readonly limit?: number; readonly offset?: number } = {}): Promise<Page<StoreStockRow>> {
    return await this.#page<StoreStockRow>("report/stock/bystore", query);
  }

  /** All rows. A row whose place in the order changes meanwhile may be missed. */
  all(query: StockQuery = {}): AsyncIterable<StockRow> {
    return readAll<StockRow>({
      limit: MAX_LIMIT,
      // The key is the row's address without the query. A row without an address is skipped.
      keyOf: ({ meta }: { readonly meta?: { readonly href?: unknown } | null }) =>
        typeof meta?.href === "string" ? hrefOf(meta.href) : undefined,
      read: async (offset, limit) => {
        const { rows, meta } = await this.page({ ...query, offset, limit });
        return { rows, size: meta.size };
      },
    });
  }

  /**
   * The whole report in one answer, computed asynchronously (json-api 6.6). A report of more than 1,000 rows fails as `unavailable`
   * (`pageIn`).
   */
  async later(query: StockQuery = {}): Promise<readonly StockRow[]> {
    const call = { path: "report/stock/all", query: parameters(query), weightClass: "report" } as const;
    const body = await readLater(this.#api, this.#clock, call, boundsOf(query));
    return pageIn<StockRow>(body, call.path).rows;
  }

  /** The short report of all stores together, or `bystore` (json-api 14.2): an array without pages. */
  async current(of: "all" | "bystore", query: ShortStockQuery = {}): Promise<readonly ShortStockRow[]> {
    const { stockType, include, changedSince, assortmentIds = [], storeIds = [] } = query;
    const filter = [
      ...(assortmentIds.length === 0 ? [] : [`assortmentId=${assortmentIds.join(",")}`]),
      ...(storeIds.length === 0 ? [] : [`storeId=${storeIds.join(",")}`]),
    ].join(";");
    const path = `report/stock/${of}/current`;
    const asked = { stockType, include, changedSince, filter: filter === "" ? undefined : filter };
    return arrayIn((await this.#api.call({ method: "GET", path, query: asked, ...boundsOf(query) })).body, path);
  }

  /** Reads the `reportUrl` of a stock webhook (json-api 9.5). */
  async changed(reportUrl: string, given: Bounds = {}): Promise<readonly ShortStockRow[]> {
    return arrayIn((await this.#api.call({ method: "GET", path: reportUrl, ...given })).body, "report/stock");
  }

  async #page<Row>(path: string, query: StockQuery & { readonly limit?: number; readonly offset?: number }): Promise<Page<Row>> {
    const { limit = MAX_LIMIT, offset = 0, ...said } = query;
    const asked = { ...parameters(said), limit: String(limit), offset: String(offset) };
    const { body } = await this.#api.call({
      method: "GET",
      path,
      query: asked,
      weightClass: "report",
      ...boundsOf(query),
    });
    return pageIn<Row>(body, path);
  }
}

function parameters({ stockMode, filter, groupBy, order }: Omit<StockQuery, keyof Bounds>) {
  if (stockMode !== undefined && filter?.stockMode !== undefined)
    throw new PlatformFailure("unsayable", "stockMode stands either beside the filter or inside of it");
  return { stockMode, filter: filterText(filter), groupBy, order: orderText(order) };
}
