import { assortmentPage } from "../../assortment/list.ts";
import { listBytes } from "../answers/json-bytes.ts";
import type { ApiRoute } from "./route.ts";

const WITHOUT_STOCK = "assortmentWithoutStock";

/** The list of everything that can be sold (json-api 13.10). */
export const ASSORTMENT_ROUTES: readonly ApiRoute[] = [
  {
    method: "GET",
    pattern: "entity/assortment",
    handle({ headers, names, path, reading }) {
      const { head, rows } = assortmentPage(path, headers[names.beta.toLowerCase()] === WITHOUT_STOCK, reading);
      return { status: 200, json: listBytes(head, rows) };
    },
  },
];
