import { refused } from "../../call/refusal.ts";
import type { EntityType } from "../entity-type.ts";

/** Returns rules for a type whose standard objects cannot be changed (1024) or deleted (1025). A standard object has `mark` true. */
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
