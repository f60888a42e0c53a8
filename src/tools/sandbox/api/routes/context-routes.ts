import { refused } from "../../call/refusal.ts";
import { readExpand } from "../../reading/expand.ts";
import { renderObject, renderReference } from "../../reading/render.ts";
import { accountCurrency } from "../../types/directories/currency.ts";
import { priceTypes } from "../../types/directories/price-type.ts";
import type { Reading } from "../../types/entity-type.ts";
import { EMPLOYEE } from "../../types/parties/employee.ts";
import type { Json, JsonObject } from "../../values/json.ts";
import type { Stored } from "../../values/stored.ts";
import { type Answer, ok } from "../answers/answer.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

/** Who calls, and the settings of company and user (reference 2). Price types live here. */
export const CONTEXT_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: "context/employee", handle: employee },
  { method: "GET", pattern: "context/companysettings", handle: companySettings },
  { method: "GET", pattern: "context/companysettings/pricetype", handle: ({ reading }) => ok(renderedPriceTypes(reading)) },
  { method: "GET", pattern: "context/companysettings/pricetype/default", handle: defaultPriceType },
  { method: "GET", pattern: "context/companysettings/pricetype/:id", handle: priceType },
  { method: "GET", pattern: "context/usersettings", handle: userSettings },
];

function employee({ reading }: ApiRequest): Answer {
  const { type, id } = user(reading);
  const stored = reading.account.objects.get(type, id);
  if (stored === undefined) throw refused(1021, undefined, id);
  return ok(renderObject(stored, reading, readExpand(reading.call.query, EMPLOYEE, reading.catalogue)));
}

function companySettings({ reading }: ApiRequest): Answer {
  const currency = accountCurrency(reading.account);
  return ok({
    meta: { ...settingsMeta("companysettings", reading), metadataHref: `${reading.call.api}/context/companysettings/metadata` },
    ...(currency === undefined ? {} : { currency: renderReference(currency, reading) }),
    priceTypes: renderedPriceTypes(reading),
    discountStrategy: "bySum",
    globalOperationNumbering: false,
    checkShippingStock: false,
    checkMinPrice: false,
    useRecycleBin: reading.call.settings.recycleBin,
  });
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

/** What documents of this user are filled with; a solution has none (55005). */
function userSettings({ reading }: ApiRequest): Answer {
  user(reading);
  const first = (type: string): Stored | undefined => [...reading.account.objects.all(type).values()][0];
  const defaults = Object.entries({ defaultCompany: first("organization"), defaultPlace: first("store") }).map(
    ([name, stored]): [string, JsonObject | undefined] => [name, stored === undefined ? undefined : renderReference(stored, reading)],
  );
  return ok({ meta: settingsMeta("usersettings", reading), locale: "ru_RU", ...Object.fromEntries(defaults) });
}

function user({ call }: Reading) {
  if (call.caller.kind === "solution") throw refused(55005);
  return call.caller.employee;
}

function renderedPriceTypes(reading: Reading): Json[] {
  return priceTypes(reading.account).flatMap(({ type, id }) => {
    const stored = reading.account.objects.get(type, id);
    return stored === undefined ? [] : [renderObject(stored, reading)];
  });
}

function settingsMeta(type: string, { call }: Reading): JsonObject {
  return { href: `${call.api}/context/${type}`, type, mediaType: "application/json" };
}
