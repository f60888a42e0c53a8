import type { Json } from "../reading/render.ts";
import { type Answer, ok } from "./answer.ts";
import type { Counters } from "./counters.ts";
import { pageAnswer } from "./wire.ts";

/** The sandbox's own addresses, below `{base}/sandbox`: what a test of a client wants to know (D38). No login. */
export function answerControl(path: string, method: string, counters: Counters): Answer {
  if (path !== "counters") return pageAnswer(404);
  return method === "GET" ? ok(counters.told() as Json) : pageAnswer(405);
}
