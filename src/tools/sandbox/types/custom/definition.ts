import { Refusal, refused } from "../../call/refusal.ts";
import { referenceIn, type Stored, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import { BARE } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** Types of an additional field that point at an object of the account (8.3). */
export const POINTING_TYPES = ["product", "counterparty", "employee", "store", "project", "contract", "productfolder"];
const PLAIN_TYPES = ["string", "text", "link", "long", "double", "boolean", "time", "file"];

/** The type that points at an element of a custom directory; which one, its definition says. */
export const CUSTOM_TYPE = "customentity";

/** `meta.type` of a definition. */
export const DEFINITION_TYPE_NAME = "attributemetadata";

/**
 * The definition of an additional field (8.3), kept with `of`: the type that it belongs to. Written through
 * the metadata of that type, never through an address of its own.
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
  // Only documents have fields that are hidden (8.3).
  const hides = writing.catalogue.get(String(draft.of))?.document === true;
  if (hides && draft.required === true && draft.show === false) throw refused(3028, undefined, "required, show");
  if (isTaken(draft.name, draft.of, before?.id, writing)) throw refused(3006, "name");
  return meant(draft, hides);
}

/** Without what says nothing of a field of this kind: such words are taken and change nothing. */
function meant({ show, customEntityMeta, ...draft }: Values, hides: boolean): Values {
  return withoutEmpty({
    ...draft,
    show: hides ? show : undefined,
    customEntityMeta: draft.type === CUSTOM_TYPE ? customEntityMeta : undefined,
  });
}

/** A field of a custom directory says which one, and keeps to it: its values lie there. */
function checkDirectory({ type, customEntityMeta }: Values, before: Stored | undefined): void {
  if (type !== CUSTOM_TYPE) return;
  const directory = referenceIn(customEntityMeta);
  if (directory === undefined) throw refused(3000, "customEntityMeta");
  if (before !== undefined && referenceIn(before.values.customEntityMeta)?.id !== directory.id) throw refused(3001, "customEntityMeta");
}

/** Names are unique among the fields of one type. */
function isTaken(name: Value | undefined, of: Value | undefined, id: string | undefined, { account }: Writing): boolean {
  return [...account.objects.all(DEFINITION_TYPE_NAME).values()].some(
    (other) => other.values.of === of && other.values.name === name && other.id !== id,
  );
}
