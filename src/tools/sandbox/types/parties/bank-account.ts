import { BANK_ACCOUNT_TYPE } from "../../account/bank-accounts.ts";
import { DIRECTORY, NO_WRITES } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { ORGANIZATION_ACCOUNT } from "./bank-accounts.ts";

/** Bank accounts as documents see them: pointed at and expanded, written with their owner (13.5, 13.8). */
export const BANK_ACCOUNT_OBJECT: EntityType = {
  ...DIRECTORY,
  name: BANK_ACCOUNT_TYPE,
  inner: true,
  offers: NO_WRITES,
  metadata: false,
  fields: ORGANIZATION_ACCOUNT.fields,
};
