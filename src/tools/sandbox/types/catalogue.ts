import { CUSTOM_DIRECTORY, CUSTOM_ENTITY } from "./custom/custom-entity.ts";
import { DEFINITION } from "./custom/definition.ts";
import { STATE } from "./custom/state.ts";
import { COUNTRY } from "./directories/country.ts";
import { CURRENCY } from "./directories/currency.ts";
import { PRICE_TYPE } from "./directories/price-type.ts";
import { PROJECT } from "./directories/project.ts";
import { REGION } from "./directories/region.ts";
import { SALES_CHANNEL } from "./directories/sales-channel.ts";
import { UOM } from "./directories/uom.ts";
import { CONTRACT } from "./documents/contract.ts";
import { CUSTOMERORDER } from "./documents/customerorder.ts";
import { RETAILDRAWERCASHIN, RETAILDRAWERCASHOUT } from "./documents/drawer.ts";
import { RETAILDEMAND } from "./documents/retaildemand.ts";
import { RETAILSALESRETURN } from "./documents/retailsalesreturn.ts";
import { RETAILSHIFT } from "./documents/retailshift.ts";
import type { Catalogue, EntityType } from "./entity-type.ts";
import { ASSORTMENT } from "./goods/assortment.ts";
import { BUNDLE } from "./goods/bundle.ts";
import { CHARACTERISTIC_TYPE } from "./goods/characteristics.ts";
import { PRODUCT } from "./goods/product.ts";
import { PRODUCT_FOLDER } from "./goods/product-folder.ts";
import { SERVICE } from "./goods/service.ts";
import { VARIANT } from "./goods/variant.ts";
import { BANK_ACCOUNT_OBJECT } from "./parties/bank-accounts.ts";
import { COUNTERPARTY } from "./parties/counterparty.ts";
import { EMPLOYEE } from "./parties/employee.ts";
import { GROUP } from "./parties/group.ts";
import { ORGANIZATION } from "./parties/organization.ts";
import { RETAIL_STORE } from "./places/retail-store.ts";
import { STORE, ZONE_OBJECT } from "./places/store.ts";
import { APPLICATION, WEBHOOK } from "./webhooks/webhook.ts";
import { WEBHOOKSTOCK } from "./webhooks/webhookstock.ts";

const GOODS: readonly EntityType[] = [PRODUCT, SERVICE, VARIANT, BUNDLE, ASSORTMENT, CHARACTERISTIC_TYPE];

const DIRECTORIES: readonly EntityType[] = [
  COUNTERPARTY,
  EMPLOYEE,
  ORGANIZATION,
  RETAIL_STORE,
  STORE,
  UOM,
  CURRENCY,
  COUNTRY,
  REGION,
  PRODUCT_FOLDER,
  PRICE_TYPE,
  GROUP,
  PROJECT,
  CONTRACT,
  SALES_CHANNEL,
  BANK_ACCOUNT_OBJECT,
  ZONE_OBJECT,
  CUSTOM_ENTITY,
];

const DOCUMENTS: readonly EntityType[] = [
  RETAILSHIFT,
  RETAILDEMAND,
  RETAILSALESRETURN,
  RETAILDRAWERCASHIN,
  RETAILDRAWERCASHOUT,
  CUSTOMERORDER,
];

/** All types. A new type adds one line here. */
export const CATALOGUE: Catalogue = new Map(
  [...GOODS, ...DIRECTORIES, DEFINITION, CUSTOM_DIRECTORY, STATE, WEBHOOK, APPLICATION, WEBHOOKSTOCK, ...DOCUMENTS].map((type) => [
    type.name,
    type,
  ]),
);
