import { refused } from "../../call/refusal.ts";
import { CHARACTERISTIC, characteristicRow, characteristicRows } from "../../types/goods/characteristics.ts";
import { ok } from "../answers/answer.ts";
import type { ApiRoute } from "./route.ts";

const PATH = "entity/variant/metadata/characteristics";

/** Characteristics of variants, at the addresses that their metas name (13.2). New ones come with the variants that name them. */
export const CHARACTERISTIC_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: PATH, handle: ({ reading }) => ok(characteristicRows(reading)) },
  {
    method: "GET",
    pattern: `${PATH}/:id`,
    handle: ({ params, reading }) => {
      const id = (params.id ?? "").toLowerCase();
      const stored = reading.account.objects.get(CHARACTERISTIC, id);
      if (stored === undefined) throw refused(1021, undefined, id);
      return ok(characteristicRow(stored, reading));
    },
  },
];
