import type { Installation } from "../../accounts/installation.ts";
import type { Language, Say } from "../language.ts";
import type { PageSession } from "./session/session.ts";

export interface PageContext {
  say: Say;
  language: Language;
  session: PageSession;
  installation: Installation;
  /** Only administrators may change anything. Other users may read. */
  mayChange: boolean;
  nowMs: number;
}
