import { refused } from "../../call/refusal.ts";
import type { EntityType } from "../entity-type.ts";

/** Objects that came with the account and bear this mark among their values: nobody changes (1024) or deletes (1025) them. */
export function standard(mark: "system" | "default"): Required<Pick<EntityType, "settle" | "release">> {
  return {
    settle(draft, before) {
      if (before?.values[mark] === true) throw refused(1024);
      return draft;
    },
    release({ values }) {
      if (values[mark] === true) throw refused(1025);
    },
  };
}
