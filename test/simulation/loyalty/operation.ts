import type { LoyaltyServer } from "./server.ts";
import type { Watch } from "./watched-store.ts";

/** An order of a person or a till. It is sent to any process until an answer comes. */
export interface Operation<Answer> extends Watch {
  act(server: LoyaltyServer): Promise<Answer>;
  /** Called when an answer has come. What the answer states must be true. */
  answered(answer: Answer): void;
  /** Whether the call may arrive twice at once. Two calls of a person are two orders, so a person makes one after the other. */
  mayDouble: boolean;
}
