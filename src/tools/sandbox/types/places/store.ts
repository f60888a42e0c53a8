import { ZONE_TYPE } from "../../account/inner-objects.ts";
import { liesIn } from "../../account/lies-in.ts";
import { refused, withinEach } from "../../call/refusal.ts";
import { externalCodeOf } from "../../values/external-code.ts";
import { elementsIn, referenceIn, type Stored, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import { BARE, DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { ElementType, EntityType, Reading, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { settleAddress } from "../parties/addresses.ts";
import { SHAPES } from "../shapes.ts";

const PART_ROWS = `
    accountId     uuid         ro out
    externalCode  string(255)  out
    id            uuid         ro out
    name          string(255)  req out
    updated       datetime     ro out
`;

const ZONE: ElementType = {
  name: ZONE_TYPE,
  fields: fieldTable(PART_ROWS),
  complete: completePart,
};

/**
 * The type of a zone as the target of references from slots. These references can be expanded. A zone is written by the body of its
 * warehouse.
 */
export const ZONE_OBJECT: EntityType = { ...BARE, name: ZONE_TYPE, inner: true, fields: ZONE.fields };

const SLOT: ElementType = {
  name: "storeslot",
  fields: fieldTable(`
    ${PART_ROWS}
    zone          ref:storezone  exp
  `),
  complete: completePart,
};

function completePart(values: Values, _before: Values | undefined, id: string, { account }: Reading): Values {
  return { externalCode: externalCodeOf(id), ...values, updated: account.clock.nowMs() };
}

/** Warehouses. */
export const STORE: EntityType = {
  ...DIRECTORY,
  name: "store",
  webName: "warehouse",
  attributesOf: "store",
  fields: entityTable(
    `
    address      string(255)     T
    addressFull  object:address
    archived     bool            out E
    attributes   attributes      A
    parent       ref:store       exp E
    pathName     string(4096)    ro out T
    slots        list:slot       exp
    zones        list:zone       exp
    `,
    SHAPES,
  ),
  search: { match: "word-prefix", fields: ["name", "code"] },
  lists: { slots: SLOT, zones: ZONE },
  complete: (draft) => ({ archived: false, pathName: "", ...draft }),
  settle,
};

/** Returns the slots. Throws 3007 for a zone of another warehouse. A removed zone is also removed from its slots. */
function settleSlots(draft: Values, before: Stored | undefined): Value | undefined {
  if (draft.slots === undefined) return undefined;
  const zones = new Set(elementsIn(draft.zones).map(({ id }) => id));
  const earlier = new Set(elementsIn(before?.values.zones).map(({ id }) => id));
  return withinEach(elementsIn(draft.slots), ({ id, values }): Value => {
    const zone = referenceIn(values.zone)?.id;
    if (zone === undefined || zones.has(zone)) return { id, values };
    if (!earlier.has(zone)) throw refused(3007, "zone", "зона другого склада");
    const { zone: _gone, ...rest } = values;
    return { id, values: rest };
  });
}

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  if (before !== undefined && liesIn(draft.parent, before, "parent", writing)) {
    throw refused(3007, "parent", "склад не может лежать в самом себе");
  }
  return withoutEmpty({ ...draft, ...settleAddress(draft, before, writing, "address"), slots: settleSlots(draft, before) });
}
