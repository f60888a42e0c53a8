import { refused } from "../../call/refusal.ts";
import { COMPANY_SETTINGS, settingsOf } from "../../types/settings.ts";
import { lastChange } from "../../writing/write.ts";
import { type Answer, EMPTY } from "../answers/answer.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";
import { storedOf, typeOf } from "./type-in-path.ts";

/** The recycle bin of documents (json-api 7.1). Only the web application restores a document. */
export const DOCUMENT_ROUTES: readonly ApiRoute[] = [{ method: "POST", pattern: "entity/:type/:id/trash", handle: trash }];

async function trash(request: ApiRequest): Promise<Answer> {
  const { reading } = request;
  const { account, call } = reading;
  const type = typeOf(request);
  if (!type.offers.has("trash")) throw refused(1066, undefined, type.name);
  if (settingsOf(COMPANY_SETTINGS, reading).useRecycleBin !== true) throw refused(1067);
  type.guard?.("delete", call);
  await account.commit(() => {
    const stored = storedOf(request, type);
    const nowMs = account.clock.nowMs();
    account.put({ ...stored, values: { ...stored.values, deleted: nowMs, ...lastChange(reading, nowMs) } });
  }, call);
  return EMPTY;
}
