import type { Entry, Move } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EntryState } from "../../journal/states.ts";
import { isCash, isTrade } from "../../model/document.ts";
import type { UnreadProblem } from "../../model/marks/marks.ts";
import type { Correction } from "../../operator/explaining/correction-story.ts";
import { type Explanation, explanationOf, type HowToSettle, type Next } from "../../operator/explaining/explanation.ts";
import type { Waiting } from "../../operator/explaining/waiting.ts";
import { type CommandIo, lineByLine } from "../command.ts";
import { describeCheckpoint, describeFacts, describeMove, deviceWords } from "./describe.ts";
import { instant, unreadMarksIn } from "./rows.ts";
import { sumOf } from "./words/amounts.ts";
import { cashierWords } from "./words/cashier-words.ts";
import { comparisonLines } from "./words/comparison-lines.ts";
import { afterPersonLines, doubledLines, missingLines, wrongLines } from "./words/due-words.ts";
import { doubtText, reasonWords } from "./words/reason-words.ts";
import { remedyLines } from "./words/remedy-lines.ts";
import { repairableLines, storyLines } from "./words/story-lines.ts";
import { ageText, nextStep } from "./words/waiting-words.ts";

/** Prints the history of an operation, who has to act, and what to do. */
export async function explain(journal: Journal, entry: Entry, nowMs: number, terminal: CommandIo): Promise<number> {
  const io = lineByLine(terminal);
  const { moves, story, waiting, next, overtaken, settledByHand, cashier } = await explanationOf(journal, entry, nowMs);
  const lines = [
    ...headLines(entry),
    ...excessLines(moves),
    ...unreadLines(entry),
    ...storyLines(entry, story),
    "What happened (UTC):",
    ...moves.map((move) => `  ${describeMove(move)}`),
    ...waitingLines(entry, waiting),
    ...nextLines(entry, next),
    ...overtakenLines(overtaken),
    ...settledLines(entry, settledByHand),
    `What to tell the cashier: «${cashierWords(cashier)}»`,
  ];
  for (const line of lines) io.out(line);
  return 0;
}

function headLines(entry: Entry): string[] {
  const { id, key, idType, operation, register, state, facts, refusal, doubt, checkpoint } = entry;
  const sum = sumOf(entry);
  return [
    `Entry ${id}: ${key.operation} ${operation.name}${sum === "" ? "" : ` of ${sum}`}, document ${key.documentId} (${idType})`,
    `Account ${key.accountId} of ${key.appId}, point of sale ${operation.storeId}, register ${register}`,
    `It is ${state}: ${MEANINGS[state]}.`,
    ...(facts === undefined ? [] : [`Registered as ${describeFacts(facts)}.`]),
    ...(refusal === undefined ? [] : [`Refused because of ${refusal.code}${deviceWords(entry)}.`]),
    ...(doubt === undefined ? [] : [`Unknown because: ${doubtText(doubt)}`]),
    ...(checkpoint === undefined ? [] : [`Before it was sent: ${describeCheckpoint(checkpoint)}.`]),
  ];
}

/** Returns lines about a return of more than was sold. They are printed apart, because a person would miss them among the moves. */
function excessLines(moves: readonly Move[]): string[] {
  const excesses = moves.flatMap(({ reasons = [] }) => reasons.filter(({ code }) => code === "returned-more"));
  return excesses.length === 0 ? [] : [`WARNING: it ${reasonWords(excesses)}.`];
}

/** Returns lines about positions with unreadable marks. The point of sale is responsible for such positions. */
function unreadLines(entry: Entry): string[] {
  const unread = unreadMarksIn(entry);
  if (unread.length === 0) return [];
  const { document, state } = entry;
  const policy = document.kind === "receipt" && document.sign === 1 ? `, as markPolicy=${document.markPolicy ?? "?"} allows` : "";
  return [
    ...unread.map(
      ({ line, name, problem }) => `Position ${line + 1}, ${name}: its marking code could not be read (${UNREAD[problem]})${policy}.`,
    ),
    ...(state === "done" ? ["It was registered as an unrecognised code, tag 1300: for the state such things stay in circulation."] : []),
  ];
}

const UNREAD: Record<UnreadProblem, string> = {
  shape: "it has the form of no known code",
  "keyboard-layout": "it was typed under the Russian keyboard layout",
  characters: "it has characters that no code has",
  "check-digit": "the check digit of its product number is wrong",
};

/** Returns lines about who has to act, and when the duty passes or passed from the server to a person. Empty once the entry has ended. */
function waitingLines({ id }: Entry, waiting: Waiting | undefined): string[] {
  if (waiting === undefined) return [];
  const { owner, ageMs, untilMs } = waiting;
  const whose = owner === "server" ? `the server's until ${instant(untilMs)}, then a person's` : `a person's since ${instant(untilMs)}`;
  return [`Open for ${ageText(ageMs)}; ${whose}.`, `Next: ${nextStep(id, waiting)}.`];
}

function nextLines(entry: Entry, next: Next): string[] {
  switch (next.kind) {
    case "wait":
      return [];
    case "settle":
      return settleLines(entry, next);
    case "registered-since":
      return registeredSince(next.correction);
    case "stands-in-drive":
      return standsInDriveLines(entry, next);
    case "after-refusal":
      return [...remedyLines(entry, next.remedy), ...afterPersonLines(entry, next.afterPerson)];
    case "after-success": {
      const repeat = entry.operation.kind === "correction" ? "" : " A repeat of the document gets the stored answer.";
      const cases = [...repairableLines(entry, next.repairable), ...afterPersonLines(entry, next.afterPerson)];
      const unless = cases.length === 0 ? "" : ", as long as what was registered is right and stands there once";
      return [`What to do: nothing${unless}.${repeat}`, ...cases];
    }
  }
}

/** Returns lines about the comparison with the paper, the meaning of each result, and the command that settles the entry. */
function settleLines(entry: Entry, { comparison, whenMissing, whenDoubled, whenWrong }: HowToSettle): string[] {
  const { id, document, checkpoint } = entry;
  return [
    "The lane of this register waits until the server or you say what is true. To find out, look for this on the register's paper,",
    isCash(document) ? "and at its drawer:" : "in its archive (document by number) or at the data operator:",
    ...comparisonLines(document, comparison),
    `Exactly one such document is there: it was registered. Settle it with what stands on it:`,
    `  journal settle ${id} --done ${paperOptions(entry)}`,
    `No such document is there: nothing was registered. Settle it, and ${whoRepeats(entry)}:`,
    `  journal settle ${id} --refused --why "…"`,
    ...indented(missingLines(entry, whenMissing)),
    ...(whenDoubled === undefined
      ? []
      : [
          `Two or more are there: it was registered twice. Settle it as done with the first one.`,
          ...indented(doubledLines(entry, whenDoubled)),
        ]),
    ...(whenWrong === undefined
      ? []
      : [
          "It is there with the server's id and another sum: it is not what was sent, and it is registered. Settle it with its own figures:",
          `  journal settle ${id} --done ${paperOptions(entry)} --sum СУММА`,
          ...indented(wrongLines(whenWrong)),
        ]),
    ...(checkpoint === undefined
      ? []
      : [
          `Another drive than ${checkpoint.driveNumber} is in the register: look into the archive of that one, then settle in the same way.`,
        ]),
    "The register is asked before you are believed. While a server runs it alone may speak to it: stop the server, or add --unconfirmed.",
  ];
}

/** Returns lines about a refused entry whose document was found in a drive. The register may no longer have that drive. */
function standsInDriveLines(entry: Entry, { driveNumber, documentNumber }: Extract<Next, { kind: "stands-in-drive" }>): string[] {
  return [
    `It is registered: ФД ${documentNumber} in drive ${driveNumber} has its id. A repeat gets that document while this drive is in the register.`,
    "What to do: put that drive back until the document was repeated. Is the drive gone for good? Look for the document on paper or at the",
    "data operator, and say what stands on it:",
    `  journal settle ${entry.id} --done ${paperOptions(entry).replace("ФД", `${documentNumber}`)} --unconfirmed --why "…"`,
  ];
}

function overtakenLines(overtaken: Explanation["overtaken"]): string[] {
  if (overtaken === undefined) return [];
  const { number, owner, saidBy } = overtaken;
  if (saidBy === "register") return [`ФД ${number} is that of entry ${owner.id}, as the register itself said.`];
  return [
    `ФД ${number} is that of entry ${owner.id}, on a person's word. If it is wrong, say what is right, and the register takes documents again:`,
    `  journal settle ${owner.id} --done ${paperOptions(owner)} --again`,
  ];
}

/** Returns lines about an earlier settling. A person's statement can be replaced, unless the register has confirmed it. */
function settledLines(entry: Entry, settled: Explanation["settledByHand"]): string[] {
  if (settled === undefined) return [];
  const { id, state } = entry;
  if (settled.register === "confirmed") return ["A person has settled this, and the register confirmed it."];
  return [
    `A person has settled this${settled.register === "unconfirmed" ? ", and the register has not confirmed it" : ""}. If that was wrong:`,
    `  journal settle ${id} --done ${paperOptions(entry)} --again`,
    ...(state === "done" ? [`  journal settle ${id} --refused --why "…" --again`] : []),
  ];
}

function registeredSince({ id, state }: Correction): string[] {
  return state === "done"
    ? [`What to do: nothing. The correction of entry ${id} has registered it, and a repeat of the document is refused.`]
    : [`What to do: see by journal explain ${id} what became of the correction that registers it. Until then a repeat is refused.`];
}

function whoRepeats({ operation }: Entry): string {
  return operation.kind === "correction" ? `say journal correct ${operation.of.document.id} again` : "the cashier repeats the document";
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

const MEANINGS: Record<EntryState, string> = {
  queued: "it waits for its register, and nothing has been sent",
  sending: "it is at the register, or the server ended while it was",
  done: "the register made the document, and a repeat gets the stored answer",
  refused: "nothing was registered, and a repeat is a new attempt",
  "in-doubt": "it was sent, and nobody knows whether the register made the document",
};

function paperOptions({ document }: Entry): string {
  const fiscal = isCash(document) ? "" : "--number ФД --sign ФП ";
  return `${fiscal}--time "12.11.26 18:42" --shift СМЕНА${isTrade(document) ? " --receipt ЧЕК" : ""}`;
}
