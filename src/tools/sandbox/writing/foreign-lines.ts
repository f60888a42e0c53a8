import type { Reading } from "../types/entity-type.ts";
import { elementsIn, type Reference } from "../values/stored.ts";

/**
 * Whether the id belongs to a line in another document's list of the same name. Such an id is refused with 1046 (json-api 10.3), an unknown
 * id with 1021. The search through all documents runs only for a wrong id.
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
