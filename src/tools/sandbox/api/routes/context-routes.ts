import { refused } from "../../call/refusal.ts";
import { readExpand } from "../../reading/expand.ts";
import { renderObject } from "../../reading/render.ts";
import type { Reading } from "../../types/entity-type.ts";
import { EMPLOYEE } from "../../types/parties/employee.ts";
import { permissionsOf } from "../../types/parties/permissions.ts";
import type { Reference } from "../../values/stored.ts";
import { type Answer, ok } from "../answers/answer.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

/** The calling employee (json-api 13.12). */
export const CONTEXT_ROUTES: readonly ApiRoute[] = [{ method: "GET", pattern: "context/employee", handle: employee }];

function employee({ reading }: ApiRequest): Answer {
  const { type, id } = callingUser(reading);
  const stored = reading.account.objects.get(type, id);
  if (stored === undefined) throw refused(1021, undefined, id);
  const answer = renderObject(stored, reading, readExpand(reading.call.query, EMPLOYEE, reading.catalogue));
  return ok({ ...answer, permissions: permissionsOf(reading.catalogue, reading.call.caller.administrator) });
}

/** Returns the calling user. A solution is no user and gets 55005. */
export function callingUser({ call }: Reading): Reference {
  if (call.caller.kind === "solution") throw refused(55005);
  return call.caller.employee;
}
