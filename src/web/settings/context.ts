import type { Installation } from "../../accounts/installation.ts";
import type { Language, Say } from "../language.ts";
import type { PageSession } from "./session/session.ts";

/** What every page of one request is drawn with. */
export interface PageContext {
  say: Say;
  language: Language;
  session: PageSession;
  installation: Installation;
  /** Only administrators change anything; others read. */
  mayChange: boolean;
  nowMs: number;
}
