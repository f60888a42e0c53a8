import { refused } from "../../call/refusal.ts";
import { renderFields, renderObject } from "../../reading/render.ts";
import { accountCurrency } from "../../types/directories/currency.ts";
import type { Reading } from "../../types/entity-type.ts";
import {
  ASSORTMENT_SETTINGS,
  COMPANY_SETTINGS,
  COUNTERPARTY_SETTINGS,
  mergedSettings,
  type SettingsType,
  settingsId,
  settingsOf,
  USER_SETTINGS,
} from "../../types/settings.ts";
import type { JsonObject } from "../../values/json.ts";
import { readFields } from "../../writing/read-fields.ts";
import { ok } from "../answers/answer.ts";
import { objectBody } from "../requests/body.ts";
import { callingUser } from "./context-routes.ts";
import { renderedPriceTypes } from "./price-type-routes.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

/** Settings of the company, a user, goods and counterparties (json-api 13.10, 13.12). */
export const SETTINGS_ROUTES: readonly ApiRoute[] = [
  ...settingsRoutes(ASSORTMENT_SETTINGS),
  ...settingsRoutes(COUNTERPARTY_SETTINGS),
  ...settingsRoutes(COMPANY_SETTINGS, companyParts),
  ...settingsRoutes(USER_SETTINGS),
  {
    method: "GET",
    pattern: USER_SETTINGS.metadata,
    handle: ({ path, reading }) => ok({ meta: { href: `${reading.call.api}/${path}`, mediaType: "application/json" } }),
  },
];

/** Returns the read-only members: the currency, the price types, the country. */
function companyParts(reading: Reading): JsonObject {
  const currency = accountCurrency(reading.account);
  const stored = currency === undefined ? undefined : reading.account.objects.get(currency.type, currency.id);
  return {
    ...(stored === undefined ? {} : { currency: renderObject(stored, reading) }),
    priceTypes: renderedPriceTypes(reading),
    accountCountry: "RU",
  };
}

/** Returns the routes that read and change settings. Each answer has all settings. */
function settingsRoutes(type: SettingsType, more: (reading: Reading) => JsonObject = () => ({})): readonly ApiRoute[] {
  const show = ({ reading }: ApiRequest) => {
    if (type.personal) callingUser(reading);
    return ok({ ...renderSettings(type, reading), ...more(reading) });
  };
  return [
    { method: "GET", pattern: type.path, handle: show },
    {
      method: "PUT",
      pattern: type.path,
      async handle(request) {
        const { reading } = request;
        if (type.personal) callingUser(reading);
        else if (!reading.call.caller.administrator) throw refused(1017);
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
