import { refused } from "../../call/refusal.ts";
import type { EntityType } from "../../types/entity-type.ts";
import { isUuid } from "../../values/ids.ts";
import type { Stored } from "../../values/stored.ts";
import type { ApiRequest } from "./route.ts";

/** The type that the path names; one that is not known is 412/1005. */
export function typeOf({ params, reading }: ApiRequest): EntityType {
  const name = params.type ?? "";
  const type = reading.catalogue.get(name);
  if (type === undefined || type.inner === true) throw refused(1005, undefined, name);
  return type;
}

/** The object that the path names: 1000 for what is no id, 1021 for nothing there. */
export function storedOf({ params, reading }: ApiRequest, type: EntityType): Stored {
  const id = (params.id ?? "").toLowerCase();
  if (!isUuid(id)) throw refused(1000, undefined, id);
  const stored = reading.account.objects.get(type.name, id);
  if (stored === undefined || type.visible?.(stored, reading.call) === false) throw refused(1021, undefined, id);
  return stored;
}
