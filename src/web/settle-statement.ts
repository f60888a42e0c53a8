import type { Entry } from "../journal/entry.ts";
import { isCash } from "../model/document.ts";
import { parseReadOff } from "../operator/settling/read-off-schema.ts";
import type { Obstacle, Statement } from "../operator/settling/settle-by-hand.ts";
import type { Say } from "./language.ts";

export interface Typed {
  form: ReadonlyMap<string, string>;
  problem: { field?: string; words: string };
}

/** The names of the controls, as in the command `journal settle`. */
export const FIGURES = ["number", "sign", "time", "shift", "receipt", "sum"] as const;
export type Figure = (typeof FIGURES)[number];
/** The longest reason, in characters: one line of the audit. A longer reason is cut. */
export const MAX_WHY = 500;

/** Returns the statement of a form, or the problem of the typed values. */
export function statementIn(say: Say, entry: Entry, form: ReadonlyMap<string, string>): Statement | Typed["problem"] {
  const why = form.get("why")?.trim() ?? "";
  if (why === "") return { field: "why", words: say("Напишите, откуда это известно.", "Say how you know.") };
  const common = { said: why.slice(0, MAX_WHY), unconfirmed: form.has("unconfirmed"), again: form.has("again") };
  if (form.has("refused")) return { claim: { kind: "refused" }, ...common };
  const isSlip = isCash(entry.document) || entry.document.kind === "x-report";
  const needed: readonly Figure[] = isSlip ? ["time", "shift"] : ["number", "sign", "time", "shift"];
  const texts = Object.fromEntries(FIGURES.flatMap((name) => (form.get(name)?.trim() ? [[name, form.get(name)?.trim()]] : [])));
  const missing = needed.find((name) => texts[name] === undefined);
  if (missing !== undefined)
    return { field: missing, words: say("Впишите всё, что стоит на чеке.", "Write everything that stands on the paper.") };
  const parsed = parseReadOff(texts);
  if (parsed.kind === "read") return { claim: { kind: "done", readOff: parsed.value }, ...common };
  const [field = ""] = parsed.problem.split(":");
  return {
    field,
    words: say("Так это поле не читается. Впишите его точно как на чеке.", `This cannot be read: ${parsed.problem}.`),
  };
}

/** Returns the control of the figure that the register or the journal contradicts. Undefined: no single figure is wrong. */
export function wrongFigure(because: Obstacle): Figure | undefined {
  if (because.code === "figures-impossible") return impossibleFigure(because.problem);
  if (because.code !== "register-contradicts") return undefined;
  const { contradiction } = because;
  switch (contradiction.code) {
    case "misread":
      return contradiction.fields[0];
    case "absent":
    case "foreign":
    case "other-kind":
    case "of-other-operation":
    case "other-settlement":
      return "number";
    case "other-sum":
      return "sum";
    case "slip":
    case "is-this-operation":
      return undefined;
  }
}

function impossibleFigure({ code }: Extract<Obstacle, { code: "figures-impossible" }>["problem"]): Figure | undefined {
  switch (code) {
    case "number-too-old":
    case "number-too-far":
    case "number-taken":
    case "number-and-sign-needed":
      return "number";
    case "sign-taken":
      return "sign";
    case "time-too-early":
    case "time-not-come":
      return "time";
    case "shift-over":
    case "shift-not-begun":
      return "shift";
    case "receipt-misplaced":
    case "report-with-receipt":
      return "receipt";
    case "sum-not-sent":
      return "sum";
    case "is-x-report":
    case "slip-with-number":
    case "nothing-sent":
    case "other-drive":
    case "no-facts":
      return undefined;
  }
}
