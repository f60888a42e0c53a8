import type { ConsoleView } from "./layout.ts";

/** The page that an act has come to. */
export interface Acted {
  status: 200 | 409 | 422;
  view: ConsoleView;
}
