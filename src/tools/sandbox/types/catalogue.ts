import { ASSORTMENT } from "./assortment.ts";
import { BANK_ACCOUNT_OBJECT } from "./bank-account.ts";
import { BUNDLE } from "./bundle.ts";
import { CONTRACT } from "./contract.ts";
import { COUNTERPARTY } from "./counterparty.ts";
import { COUNTRY } from "./country.ts";
import { CURRENCY } from "./currency.ts";
import { CUSTOM_DIRECTORY, CUSTOM_ENTITY } from "./custom-entity.ts";
import { DEFINITION } from "./definition.ts";
import { CUSTOMERORDER } from "./documents/customerorder.ts";
import { RETAILDRAWERCASHIN, RETAILDRAWERCASHOUT } from "./documents/drawer.ts";
import { RETAILDEMAND } from "./documents/retaildemand.ts";
import { RETAILSALESRETURN } from "./documents/retailsalesreturn.ts";
import { RETAILSHIFT } from "./documents/retailshift.ts";
import { EMPLOYEE } from "./employee.ts";
import type { Catalogue, EntityType } from "./entity-type.ts";
import { GROUP } from "./group.ts";
import { ORGANIZATION } from "./organization.ts";
import { PRICE_TYPE } from "./price-type.ts";
import { PRODUCT } from "./product.ts";
import { PRODUCT_FOLDER } from "./product-folder.ts";
import { PROJECT } from "./project.ts";
import { REGION } from "./region.ts";
import { RETAIL_STORE } from "./retail-store.ts";
import { SALES_CHANNEL } from "./sales-channel.ts";
import { SERVICE } from "./service.ts";
import { STATE } from "./state.ts";
import { STORE } from "./store.ts";
import { UOM } from "./uom.ts";
import { VARIANT } from "./variant.ts";
import { WEBHOOK } from "./webhook.ts";
import { WEBHOOKSTOCK } from "./webhookstock.ts";

const GOODS: readonly EntityType[] = [PRODUCT, SERVICE, VARIANT, BUNDLE, ASSORTMENT];

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

/** Every type. A new one is one line here. */
export const CATALOGUE: Catalogue = new Map(
  [...GOODS, ...DIRECTORIES, DEFINITION, CUSTOM_DIRECTORY, STATE, WEBHOOK, WEBHOOKSTOCK, ...DOCUMENTS].map((type) => [type.name, type]),
);
