import type { ConsoleView } from "./layout.ts";

/** The page that is shown after an act. */
export interface Acted {
  status: 200 | 409 | 422;
  view: ConsoleView;
}
