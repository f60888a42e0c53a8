import type { Stored } from "../account/stored.ts";
import type { EntityType } from "../types/entity-type.ts";
import type { Reading } from "./reading.ts";

/** The objects of a type that a list request means, in its order. */
export function matching(type: EntityType, { account }: Reading): readonly Stored[] {
  return [...account.objects.all(type.name).values()];
}
