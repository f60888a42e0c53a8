import { Refusal, refused } from "../../call/refusal.ts";
import { referenceIn, type Stored, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import { BARE } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** The types of an additional field that refer to an object of the account (json-api 8.3). */
export const POINTING_TYPES = ["product", "counterparty", "employee", "store", "project", "contract", "productfolder"];
const PLAIN_TYPES = ["string", "text", "link", "long", "double", "boolean", "time", "file"];

/** The field type for an element of a custom directory. The field's definition contains the directory. */
export const CUSTOM_TYPE = "customentity";

/** `meta.type` of a definition. */
export const DEFINITION_TYPE_NAME = "attributemetadata";

/**
 * The definition of an additional field (json-api 8.3). It is stored with `of`, the type of the field's objects. Its address is below this
 * type's metadata.
 */
export const DEFINITION: EntityType = {
  ...BARE,
  name: DEFINITION_TYPE_NAME,
  inner: true,
  fields: fieldTable(`
    id           uuid          ro out
    name         string(255)   req out
    type         enum:${[...PLAIN_TYPES, ...POINTING_TYPES, CUSTOM_TYPE].join("|")} req out
    required     bool          out
    show         bool
    description  string(4096)
    customEntityMeta  meta:customentitymetadata
  `),
  complete: (draft) => ({ required: false, ...draft }),
  settle,
};

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  if (before !== undefined && draft.type !== before.values.type) throw refused(3001, "type");
  checkDirectory(draft, before);
  const boolean = draft.type === "boolean";
  if (boolean && before !== undefined && draft.required !== before.values.required) throw refused(3001, "required");
  if (draft.required === true && (boolean || draft.type === "file")) {
    throw new Refusal({ code: 3007, parameter: "required", details: ["поле этого типа не может быть обязательным"] });
  }
  // Only document fields can be hidden (json-api 8.3).
  const hides = writing.catalogue.get(String(draft.of))?.document === true;
  if (hides && draft.required === true && draft.show === false) throw refused(3028, undefined, "required, show");
  if (isTaken(draft.name, draft.of, before?.id, writing)) throw refused(3006, "name");
  return meant(draft, hides);
}

/** Returns the values for this kind of field. Other values are accepted and ignored. */
function meant({ show, customEntityMeta, ...draft }: Values, hides: boolean): Values {
  return withoutEmpty({
    ...draft,
    show: hides ? show : undefined,
    customEntityMeta: draft.type === CUSTOM_TYPE ? customEntityMeta : undefined,
  });
}

/**
 * Throws if a `customentity` field has no directory (3000), or another directory than before (3001). The directory cannot change, because
 * the field's values are elements of the directory.
 */
function checkDirectory({ type, customEntityMeta }: Values, before: Stored | undefined): void {
  if (type !== CUSTOM_TYPE) return;
  const directory = referenceIn(customEntityMeta);
  if (directory === undefined) throw refused(3000, "customEntityMeta");
  if (before !== undefined && referenceIn(before.values.customEntityMeta)?.id !== directory.id) throw refused(3001, "customEntityMeta");
}

function isTaken(name: Value | undefined, of: Value | undefined, id: string | undefined, { account }: Writing): boolean {
  return [...account.objects.all(DEFINITION_TYPE_NAME).values()].some(
    (other) => other.values.of === of && other.values.name === name && other.id !== id,
  );
}
