import type { Reading } from "../types/entity-type.ts";
import { elementsIn, type Reference } from "../values/stored.ts";

/**
 * Whether the id is of a line of another document, in a list of the same name: that is 1046 (10.3), where an id that is
 * nobody's is 1021. Every document is looked through, which only who asks for a wrong line pays for.
 */
export function isForeignLine(id: string, list: string, owner: Reference, { account, catalogue }: Reading): boolean {
  if (catalogue.get(owner.type)?.document !== true) return false;
  const types = [...catalogue.values()].filter((type) => type.document && type.lists[list] !== undefined);
  return types.some(({ name }) => {
    for (const document of account.objects.all(name).values()) {
      if (document.id !== owner.id && elementsIn(document.values[list]).some((line) => line.id === id)) return true;
    }
    return false;
  });
}
