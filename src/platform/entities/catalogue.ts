import { BUNDLE } from "./bundle.ts";
import { COUNTERPARTY } from "./counterparty.ts";
import { CUSTOMER_ORDER } from "./customer-order.ts";
import { EMPLOYEE } from "./employee.ts";
import { ORGANIZATION } from "./organization.ts";
import { PRODUCT } from "./product.ts";
import { RETAIL_DEMAND } from "./retail-demand.ts";
import { RETAIL_DRAWER_CASH_IN } from "./retail-drawer-cash-in.ts";
import { RETAIL_DRAWER_CASH_OUT } from "./retail-drawer-cash-out.ts";
import { RETAIL_SALES_RETURN } from "./retail-sales-return.ts";
import { RETAIL_SHIFT } from "./retail-shift.ts";
import { RETAIL_STORE } from "./retail-store.ts";
import { SERVICE } from "./service.ts";
import { UOM } from "./uom.ts";
import { VARIANT } from "./variant.ts";
import { WEBHOOK, WEBHOOK_STOCK } from "./webhook.ts";

/** The types that are fully typed. A reference to another type expands into an object with unknown fields. */
export const CATALOGUE = {
  bundle: BUNDLE,
  counterparty: COUNTERPARTY,
  customerorder: CUSTOMER_ORDER,
  employee: EMPLOYEE,
  organization: ORGANIZATION,
  product: PRODUCT,
  retaildemand: RETAIL_DEMAND,
  retaildrawercashin: RETAIL_DRAWER_CASH_IN,
  retaildrawercashout: RETAIL_DRAWER_CASH_OUT,
  retailsalesreturn: RETAIL_SALES_RETURN,
  retailshift: RETAIL_SHIFT,
  retailstore: RETAIL_STORE,
  service: SERVICE,
  uom: UOM,
  variant: VARIANT,
  webhook: WEBHOOK,
  webhookstock: WEBHOOK_STOCK,
} as const;

export type Catalogue = typeof CATALOGUE;
