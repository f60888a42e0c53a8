import { refused, within, withinEach } from "../../call/refusal.ts";
import { type Element, elementsIn, type Stored, type Values, withoutEmpty } from "../../values/stored.ts";
import type { ElementType, EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { GOODS_SUBJECT, TRACKING_TYPE } from "../shapes.ts";
import { checkTracking } from "./exclusions.ts";
import { checkMeasures, completeGoods, deriveGoods, GOODS, goodsTable, settleGoods } from "./goods.ts";
import { settlePrice } from "./prices.ts";

const MAX_COMPONENTS = 50;

// The type `bundle` is allowed here, so a bundle is refused with 29003 (wrong kind of goods), not with the error for a wrong type.
const COMPONENT: ElementType = {
  name: "bundlecomponent",
  merges: true,
  fields: fieldTable(`
    accountId   uuid     ro out
    assortment  ref:product|variant|service|bundle  req out exp
    id          uuid     ro out
    quantity    number   req out
  `),
};

/** Goods sold together (json-api 13.3). */
export const BUNDLE: EntityType = {
  ...GOODS,
  name: "bundle",
  fields: goodsTable(`
    article          string(255)           T
    components       list:bundlecomponent  exp
    country          ref:country           exp
    images           list:image            exp
    overhead         object:price
    partialDisposal  bool
    paymentItemType  ${GOODS_SUBJECT}
    tnved            string(255)
    trackingType     ${TRACKING_TYPE}
    volume           number                C
    weight           number                C
  `),
  lists: { components: COMPONENT },
  order: [..."id version updated updatedBy name code externalCode archived pathName syncId description article weight volume".split(" ")],
  complete: (draft) => ({ weight: 0, volume: 0, trackingType: "NOT_TRACKED", paymentItemType: "GOOD", ...completeGoods(draft) }),
  settle,
  derive: deriveGoods,
};

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  checkTracking(draft);
  checkMeasures(draft);
  const changed = ["components", "overhead"].filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(before?.values[name]));
  // All referring objects are documents. A bundle that is used in documents cannot change its components or overhead.
  if (before !== undefined && changed.length > 0 && writing.account.uses.of(before).size > 0) throw refused(29001, changed[0]);
  checkComponents(draft, before, writing);
  return withoutEmpty({ ...settleGoods(draft, before, writing), ...settlePrice(draft, "overhead", writing) });
}

/**
 * Checks the components: 1 to 50 (29000), no repetition (29002), a quantity above zero (3003). Bundles, alcohol and goods with serial
 * numbers are refused (29003).
 */
function checkComponents(draft: Values, before: Stored | undefined, { account }: Writing): void {
  const components = elementsIn(draft.components);
  if (components.length < 1 || components.length > MAX_COMPONENTS) throw refused(29000, "components");
  const seen = new Set<string>();
  const check = ({ values }: Element) => {
    const goods = account.objects.pointedBy(values.assortment);
    if (goods === undefined) throw refused(3000, "assortment");
    if (goods.type === "bundle" || goods.values.isSerialTrackable === true || goods.values.alcoholic !== undefined) {
      throw refused(29003, "assortment");
    }
    if (seen.has(goods.id)) throw refused(29002, "assortment");
    seen.add(goods.id);
    if (typeof values.quantity === "number" && values.quantity <= 0) throw refused(3003, "quantity");
  };
  // A change is merged into the stored components (json-api D12), so an index here is no index in the body. Errors then have no place.
  within("components", () => (before === undefined ? withinEach(components, check) : components.forEach(check)));
}
