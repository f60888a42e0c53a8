import { refused } from "../../call/refusal.ts";
import { readExpand } from "../../reading/expand.ts";
import { renderObject } from "../../reading/render.ts";
import type { EntityType } from "../../types/entity-type.ts";
import { isUuid } from "../../values/ids.ts";
import type { Stored } from "../../values/stored.ts";
import { committed, deleteObject } from "../../writing/write.ts";
import { type Answer, EMPTY, ok } from "../answers/answer.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";
import { typeOf } from "./type-in-path.ts";

const PATTERN = "entity/:type/syncid/:syncId";

/** Objects at the address of their `syncId`, which their creator chose (json-api 7.6). */
export const SYNC_ID_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: PATTERN, handle: read },
  { method: "DELETE", pattern: PATTERN, handle: remove },
];

function read(request: ApiRequest): Answer {
  const { reading } = request;
  const type = typeOf(request);
  type.guard?.("read", reading.call);
  return ok(renderObject(storedBy(request, type), reading, readExpand(reading.call.query, type, reading.catalogue)));
}

async function remove(request: ApiRequest): Promise<Answer> {
  const { call } = request.reading;
  const type = typeOf(request);
  if (!type.offers.has("delete")) throw refused(1010, undefined, type.name);
  type.guard?.("delete", call);
  await committed(request.reading, (write) => deleteObject(type, storedBy(request, type), write));
  return EMPTY;
}

function storedBy({ params, reading }: ApiRequest, type: EntityType): Stored {
  const syncId = (params.syncId ?? "").toLowerCase();
  if (!isUuid(syncId)) throw refused(1052, "syncId", syncId);
  const stored = reading.account.objects.get(type.name, reading.account.syncIds.idOf(type.name, syncId) ?? "");
  if (stored === undefined || type.visible?.(stored, reading.call) === false) throw refused(1057, undefined, syncId);
  return stored;
}
