import { refused } from "../../call/refusal.ts";
import { readExpand } from "../../reading/expand.ts";
import { renderObject } from "../../reading/render.ts";
import { priceTypes } from "../../types/directories/price-type.ts";
import type { Reading } from "../../types/entity-type.ts";
import { EMPLOYEE } from "../../types/parties/employee.ts";
import { permissionsOf } from "../../types/parties/permissions.ts";
import type { Json } from "../../values/json.ts";
import type { Reference } from "../../values/stored.ts";
import { type Answer, ok } from "../answers/answer.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

/** Who calls, and the price types, which live here (reference 2, 13.12). */
export const CONTEXT_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: "context/employee", handle: employee },
  { method: "GET", pattern: "context/companysettings/pricetype", handle: ({ reading }) => ok(renderedPriceTypes(reading)) },
  { method: "GET", pattern: "context/companysettings/pricetype/default", handle: defaultPriceType },
  { method: "GET", pattern: "context/companysettings/pricetype/:id", handle: priceType },
];

function employee({ reading }: ApiRequest): Answer {
  const { type, id } = callingUser(reading);
  const stored = reading.account.objects.get(type, id);
  if (stored === undefined) throw refused(1021, undefined, id);
  const answer = renderObject(stored, reading, readExpand(reading.call.query, EMPLOYEE, reading.catalogue));
  return ok({ ...answer, permissions: permissionsOf(reading.catalogue, reading.call.caller.administrator) });
}

function priceType({ params, reading }: ApiRequest): Answer {
  const id = (params.id ?? "").toLowerCase();
  const stored = reading.account.objects.get("pricetype", id);
  if (stored === undefined) throw refused(1021, undefined, id);
  return ok(renderObject(stored, reading));
}

function defaultPriceType({ reading }: ApiRequest): Answer {
  const [first] = renderedPriceTypes(reading);
  if (first === undefined) throw refused(1021, undefined, "default");
  return ok(first);
}

/** The user who asks; a solution is none (55005). */
export function callingUser({ call }: Reading): Reference {
  if (call.caller.kind === "solution") throw refused(55005);
  return call.caller.employee;
}

export function renderedPriceTypes(reading: Reading): Json[] {
  return priceTypes(reading.account).flatMap(({ type, id }) => {
    const stored = reading.account.objects.get(type, id);
    return stored === undefined ? [] : [renderObject(stored, reading)];
  });
}
