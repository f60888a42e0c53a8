import { refused } from "../../call/refusal.ts";
import { renderObject } from "../../reading/render.ts";
import { CHARACTERISTIC, CHARACTERISTIC_TYPE } from "../../types/goods/characteristics.ts";
import { eachElement } from "../../writing/mass.ts";
import type { Sent } from "../../writing/read-fields.ts";
import { committed, createObject, type WriteRequest } from "../../writing/write.ts";
import { type Answer, ok } from "../answers/answer.ts";
import { arrayBody, objectBody } from "../requests/body.ts";
import { describedBy } from "./metadata-routes.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

const PATH = "entity/variant/metadata/characteristics";

/** Characteristics of variants, at the addresses in their `meta` (json-api 13.2). */
export const CHARACTERISTIC_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: PATH, handle: list },
  { method: "POST", pattern: PATH, handle: create },
  { method: "GET", pattern: `${PATH}/:id`, handle: read },
];

/** Lists all characteristics in one object, without pages. */
function list({ path, reading }: ApiRequest): Answer {
  const meta = { href: `${reading.call.api}/${path}`, mediaType: "application/json" };
  return ok({ meta, characteristics: describedBy(CHARACTERISTIC, reading) });
}

function read({ params, reading }: ApiRequest): Answer {
  const id = (params.id ?? "").toLowerCase();
  const stored = reading.account.objects.get(CHARACTERISTIC, id);
  if (stored === undefined) throw refused(1021, undefined, id);
  return ok(renderObject(stored, reading));
}

/** Creates one characteristic or an array. A used name is refused with 3006. */
async function create(request: ApiRequest): Promise<Answer> {
  const { reading } = request;
  const body = request.json();
  const make = (sent: Sent, write: WriteRequest) => {
    const stored = createObject(CHARACTERISTIC_TYPE, sent, write);
    return () => renderObject(stored, reading);
  };
  if (Array.isArray(body)) return eachElement(arrayBody(body), reading, make);
  return ok((await committed(reading, (write) => make(objectBody(body), write)))());
}
