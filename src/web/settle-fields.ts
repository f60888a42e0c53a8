import type { Entry } from "../journal/entry.ts";
import { isCash } from "../model/document.ts";
import { field, problemOf } from "./fields.ts";
import type { Markup } from "./html.ts";
import type { Say } from "./language.ts";
import { FIGURES, type Figure, MAX_WHY, type Typed } from "./settle-statement.ts";

const MAX_FIGURE = 40;

interface Place {
  /** The typed values of this form. Undefined: not sent yet. */
  typed: Typed | undefined;
  idPrefix?: string;
}

/** Draws the controls for the figures on the paper, with words beside the wrong figure. */
export function figureFields(say: Say, { document }: Entry, place: Place): readonly Markup[] {
  const labels: Record<Figure, string> = {
    number: say("Номер ФД", "Document number"),
    sign: say("ФП (фискальный признак)", "Fiscal sign"),
    time: say("Время на чеке, например 29.11.26 14:05", "Time on the paper, such as 29.11.26 14:05"),
    shift: say("Номер смены", "Shift"),
    receipt: say("Номер чека в смене, если есть", "Receipt number in the shift, if there is one"),
    sum: say("Сумма на чеке, если она другая", "Sum on the paper, if it is another"),
  };
  return figuresOf(document).map((name) => textField(say, place, { name, label: labels[name], maxLength: MAX_FIGURE }));
}

/** Whether the sent form has a control for the problem's words. Otherwise the words appear above the form. */
export function isBesideControl({ document }: Entry, { form, problem }: Typed): boolean {
  return problem.field === "why" || (form.has("done") && figuresOf(document).some((name) => name === problem.field));
}

/** A slip of cash in or out and an X report have neither a document number nor a fiscal sign. */
function figuresOf(document: Entry["document"]): readonly Figure[] {
  return isCash(document) || document.kind === "x-report" ? ["time", "shift"] : FIGURES;
}

export function whyField(say: Say, place: Place): Markup {
  return textField(say, place, { name: "why", label: say("Откуда известно", "How you know"), maxLength: MAX_WHY });
}

function textField(
  say: Say,
  { typed, idPrefix }: Place,
  { name, label, maxLength }: { name: string; label: string; maxLength: number },
): Markup {
  const value = typed?.form.get(name) ?? "";
  const { problem } = typed ?? {};
  const refused =
    typed === undefined || problem?.field === undefined
      ? undefined
      : { typed: typed.form, problem: { field: problem.field, words: problem.words } };
  return field(say, {
    name,
    ...(idPrefix === undefined ? {} : { idPrefix }),
    label,
    value,
    ...problemOf(refused, name),
    kind: { type: "text", maxLength },
  });
}
