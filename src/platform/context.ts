import type { PlatformApi } from "./api/api.ts";
import type { Catalogue } from "./entities/catalogue.ts";
import type { Meta, Ref } from "./entities/meta.ts";
import type { Read } from "./entities/read.ts";
import type { PriceType } from "./entities/shapes.ts";
import { arrayIn, objectIn } from "./page.ts";
import type { Bounds } from "./query/query.ts";

interface CompanySettings {
  readonly meta: Meta;
  readonly currency?: Ref<"currency"> | null;
  readonly priceTypes?: readonly PriceType[] | null;
  readonly discountStrategy?: string | null;
  readonly globalOperationNumbering?: boolean | null;
  readonly checkShippingStock?: boolean | null;
  readonly checkMinPrice?: boolean | null;
  readonly useRecycleBin?: boolean | null;
}

interface UserSettings {
  readonly meta: Meta;
  readonly locale?: string | null;
  readonly defaultCompany?: Ref | null;
  readonly defaultPlace?: Ref | null;
}

/**
 * Reads the caller and the settings of company and user (json-api 13.12). A solution's token has no user, so the platform answers these
 * calls with the error 55005 (json-api 3).
 */
export class Context {
  readonly #api: PlatformApi;

  constructor(api: PlatformApi) {
    this.#api = api;
  }

  employee(bounds: Bounds = {}): Promise<Read<Catalogue["employee"]["fields"]>> {
    return this.#get("context/employee", bounds);
  }

  companySettings(bounds: Bounds = {}): Promise<CompanySettings> {
    return this.#get("context/companysettings", bounds);
  }

  userSettings(bounds: Bounds = {}): Promise<UserSettings> {
    return this.#get("context/usersettings", bounds);
  }

  async priceTypes(bounds: Bounds = {}): Promise<readonly PriceType[]> {
    const path = "context/companysettings/pricetype";
    return arrayIn((await this.#api.call({ method: "GET", path, ...bounds })).body, path);
  }

  defaultPriceType(bounds: Bounds = {}): Promise<PriceType> {
    return this.#get("context/companysettings/pricetype/default", bounds);
  }

  async #get<Whole>(path: string, bounds: Bounds): Promise<Whole> {
    return objectIn((await this.#api.call({ method: "GET", path, ...bounds })).body, path);
  }
}
