import type { LoyaltyServer } from "./server.ts";
import type { Watch } from "./watched-store.ts";

/** What a person or a till wants done. It is asked until it is answered, of any process. */
export interface Operation<Answer> extends Watch {
  act(server: LoyaltyServer): Promise<Answer>;
  /** An answer has come. Whatever was told to somebody must be so. */
  answered(answer: Answer): void;
  /** Two calls at once are two orders: a person makes one after the other. */
  mayDouble: boolean;
}
