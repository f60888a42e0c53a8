import type { Stored } from "../account/stored.ts";
import type { EntityType } from "../types/entity-type.ts";
import type { Reading } from "./reading.ts";

/** The objects of a type that a list request means, in its order; what the caller must not see is left out. */
export function matching(type: EntityType, { account, call }: Reading): readonly Stored[] {
  const all = [...account.objects.all(type.name).values()];
  return type.visible === undefined ? all : all.filter((stored) => type.visible?.(stored, call) !== false);
}
