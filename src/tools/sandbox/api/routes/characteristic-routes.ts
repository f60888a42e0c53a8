import { refused } from "../../call/refusal.ts";
import { renderObject } from "../../reading/render.ts";
import { CHARACTERISTIC } from "../../types/goods/characteristics.ts";
import { type Answer, ok } from "../answers/answer.ts";
import { describedBy } from "./metadata-routes.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

const PATH = "entity/variant/metadata/characteristics";

/** Characteristics of variants at the addresses that their metas name (13.2). */
export const CHARACTERISTIC_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: PATH, handle: list },
  { method: "GET", pattern: `${PATH}/:id`, handle: read },
];

/** One object without pages. */
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
