import { refused } from "../../call/refusal.ts";
import { renderFields } from "../../reading/render.ts";
import type { Reading } from "../../types/entity-type.ts";
import {
  ASSORTMENT_SETTINGS,
  COUNTERPARTY_SETTINGS,
  mergedSettings,
  type SettingsType,
  settingsId,
  settingsOf,
} from "../../types/settings.ts";
import type { JsonObject } from "../../values/json.ts";
import { readFields } from "../../writing/read-fields.ts";
import { ok } from "../answers/answer.ts";
import { objectBody } from "../requests/body.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

/** Settings of goods and counterparties. */
export const SETTINGS_ROUTES: readonly ApiRoute[] = [ASSORTMENT_SETTINGS, COUNTERPARTY_SETTINGS].flatMap((type) => settingsRoutes(type));

/** Reads settings whole, and changes some of them: the answer is whole again. */
function settingsRoutes(type: SettingsType): readonly ApiRoute[] {
  const show = ({ reading }: ApiRequest) => ok(renderSettings(type, reading));
  return [
    { method: "GET", pattern: type.path, handle: show },
    {
      method: "PUT",
      pattern: type.path,
      async handle(request) {
        const { reading } = request;
        if (!type.personal && !reading.call.caller.administrator) throw refused(1017);
        const body = request.json();
        if (Array.isArray(body)) throw refused(2009);
        const sent = objectBody(body);
        await reading.account.commit(() => changeSettings(type, sent, reading), reading.call);
        return show(request);
      },
    },
  ];
}

function changeSettings(type: SettingsType, sent: Readonly<Record<string, unknown>>, reading: Reading): void {
  const { account } = reading;
  const id = settingsId(type, reading);
  const read = readFields(type.fields, sent, {}, true, reading, () => undefined);
  const kept = account.objects.get(type.name, id)?.values ?? {};
  account.put({ type: type.name, id, values: mergedSettings(kept, read) });
}

function renderSettings(type: SettingsType, reading: Reading): JsonObject {
  const { api } = reading.call;
  const meta = { href: `${api}/${type.path}`, metadataHref: `${api}/${type.metadata}`, type: type.name, mediaType: "application/json" };
  return { meta, ...renderFields(type.fields, settingsOf(type, reading), reading) };
}
