import { PlatformApi, type PlatformApiOptions } from "./api/api.ts";
import { Context } from "./context.ts";
import { CATALOGUE } from "./entities/catalogue.ts";
import { TypeMetadata } from "./metadata.ts";
import { Resource } from "./resource.ts";
import { Stock } from "./stock.ts";

/** A typed client for one account of the platform. Safe to share: all calls together keep within the account's limits. */
export function openClient(options: PlatformApiOptions) {
  const api = new PlatformApi(options);
  return {
    /** For calls that have no method here. */
    api,
    bundles: new Resource(api, CATALOGUE.bundle),
    counterparties: new Resource(api, CATALOGUE.counterparty),
    customerOrders: new Resource(api, CATALOGUE.customerorder),
    employees: new Resource(api, CATALOGUE.employee),
    organizations: new Resource(api, CATALOGUE.organization),
    products: new Resource(api, CATALOGUE.product),
    retailDemands: new Resource(api, CATALOGUE.retaildemand),
    retailDrawerCashIns: new Resource(api, CATALOGUE.retaildrawercashin),
    retailDrawerCashOuts: new Resource(api, CATALOGUE.retaildrawercashout),
    retailSalesReturns: new Resource(api, CATALOGUE.retailsalesreturn),
    retailShifts: new Resource(api, CATALOGUE.retailshift),
    retailStores: new Resource(api, CATALOGUE.retailstore),
    services: new Resource(api, CATALOGUE.service),
    uoms: new Resource(api, CATALOGUE.uom),
    variants: new Resource(api, CATALOGUE.variant),
    webhooks: new Resource(api, CATALOGUE.webhook),
    stockWebhooks: new Resource(api, CATALOGUE.webhookstock),
    context: new Context(api),
    stock: new Stock(api, options.clock),
    metadata: (type: string) => new TypeMetadata(api, type),
  };
}

export type PlatformClient = ReturnType<typeof openClient>;
