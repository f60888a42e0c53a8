import { refused } from "../../call/refusal.ts";
import type { EntityType } from "../../types/entity-type.ts";
import { isUuid } from "../../values/ids.ts";
import type { Stored } from "../../values/stored.ts";
import type { ApiRequest } from "./route.ts";

/** Returns the type in the path. Throws 412/1005 for an unknown type. */
export function typeOf({ params, reading }: ApiRequest): EntityType {
  const name = params.type ?? "";
  const type = reading.catalogue.get(name);
  if (type === undefined || type.inner === true) throw refused(1005, undefined, name);
  return type;
}

/** Returns the object in the path. Throws 1000 for an invalid id, 1021 for a missing object. */
export function storedOf({ params, reading }: ApiRequest, type: EntityType): Stored {
  const id = (params.id ?? "").toLowerCase();
  if (!isUuid(id)) throw refused(1000, undefined, id);
  const stored = reading.account.objects.get(type.name, id);
  if (stored === undefined || type.visible?.(stored, reading.call) === false) throw refused(1021, undefined, id);
  return stored;
}
