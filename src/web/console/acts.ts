import type { ConsoleView } from "./layout.ts";

export interface Acted {
  status: 200 | 409 | 422;
  view: ConsoleView;
}
