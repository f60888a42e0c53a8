import type { Account } from "../account/account.ts";
import { pointsAt } from "../account/uses.ts";
import { Refusal } from "../call/refusal.ts";
import { renderReference } from "../reading/render.ts";
import type { EntityType, Reading } from "../types/entity-type.ts";
import { type Reference, referenceIn, type Stored } from "../values/stored.ts";

/** The maximum number of referring objects in an error. */
const MAX_NAMED = 100;

/** Throws the code with the referring objects, if another object refers to this object. Types in `except` do not count. */
export function refuseUsed(stored: Reference, code: number, reading: Reading, ...except: readonly string[]): void {
  const types = [...reading.account.uses.of(stored).keys()].filter((type) => !except.includes(type));
  if (types.length === 0) return;
  const users = types.filter((type) => reading.catalogue.has(type)).flatMap((type) => pointingAt(stored, type, reading.account));
  throw new Refusal({ code, dependencies: users.slice(0, MAX_NAMED).map((user) => renderReference(user, reading)) });
}

function pointingAt(target: Reference, type: string, account: Account): readonly Stored[] {
  const found: Stored[] = [];
  for (const stored of account.objects.all(type).values()) {
    if (found.length === MAX_NAMED) break;
    if (Object.values(stored.values).some((value) => pointsAt(value, target))) found.push(stored);
  }
  return found;
}

/** Returns the parts of an object, such as a product's variants. */
export function partsOf(owner: Reference, { type, field }: NonNullable<EntityType["parts"]>, account: Account): readonly Stored[] {
  if (!account.uses.of(owner).has(type)) return [];
  return [...account.objects.all(type).values()].filter(({ values }) => referenceIn(values[field])?.id === owner.id);
}
