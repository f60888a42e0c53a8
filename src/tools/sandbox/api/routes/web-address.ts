import type { Reading } from "../../types/entity-type.ts";
import { isUuid, webId } from "../../values/ids.ts";
import type { Answer } from "../answers/answer.ts";

/**
 * Redirects a path with the web application's id to the path with the API's id (json-api 2). Status 308 keeps method and body. Undefined:
 * the path has no such id. `search` is the query with its question mark.
 */
export function redirectToApi(path: string, search: string, { account, catalogue, call }: Reading): Answer | undefined {
  const [section, name = "", given = "", ...below] = path.split("/");
  const id = given.toLowerCase();
  const type = catalogue.get(name);
  if (section !== "entity" || type === undefined || type.inner === true || !isUuid(id)) return undefined;
  if (account.objects.get(name, id) !== undefined || account.objects.get(name, webId(id)) === undefined) return undefined;
  type.guard?.("read", call);
  return { status: 308, headers: { Location: `${call.api}/${[section, name, webId(id), ...below].join("/")}${search}` } };
}
