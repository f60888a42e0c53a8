import type { Entry, Move } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { type EntryState, mayTakeBack } from "../../journal/states.ts";
import { isCash, isTrade } from "../../model/document.ts";
import type { UnreadProblem } from "../../model/marks.ts";
import { twinsOf } from "../../operations/corrections.ts";
import { knownIdentity } from "../../operator/settling/known-identity.ts";
import { registerSaid } from "../../operator/settling/settle-by-hand.ts";
import { type CommandIo, lineByLine } from "../command.ts";
import { cashierWords } from "./cashier-words.ts";
import { comparisonOf } from "./comparison.ts";
import { afterPerson, dueWhenDoubled, dueWhenMissing, dueWhenWrong } from "./correction.ts";
import { type CorrectionStory, repairLines, standingStep, storyLines, storyOf } from "./correction-story.ts";
import { describeCheckpoint, describeFacts, describeMove, deviceWords } from "./describe.ts";
import { adviceFor, overtaking } from "./refusal-advice.ts";
import { instant, unreadMarksIn } from "./rows.ts";
import { ageText, waitingOf } from "./waiting.ts";
import { doubtText } from "./words/reason-words.ts";
import { sumOf } from "./words/sums.ts";

/** Tells a person what happened to an operation, who has to do something about it, and what. */
export async function explain(journal: Journal, entry: Entry, nowMs: number, terminal: CommandIo): Promise<number> {
  const io = lineByLine(terminal);
  const { key, operation } = entry;
  const sum = sumOf(entry);
  io.out(
    `Entry ${entry.id}: ${key.operation} ${operation.name}${sum === "" ? "" : ` of ${sum}`}, document ${key.documentId} (${entry.idType})`,
  );
  io.out(`Account ${key.accountId} of ${key.appId}, point of sale ${operation.storeId}, register ${entry.register}`);
  io.out(`It is ${entry.state}: ${MEANINGS[entry.state]}.`);
  if (entry.facts !== undefined) io.out(`Registered as ${describeFacts(entry.facts)}.`);
  if (entry.refusal !== undefined) io.out(`Refused because of ${entry.refusal.code}${deviceWords(entry)}.`);
  if (entry.doubt !== undefined) io.out(`Unknown because: ${doubtText(entry.doubt)}`);
  if (entry.checkpoint !== undefined) io.out(`Before it was sent: ${describeCheckpoint(entry.checkpoint)}.`);
  for (const line of unreadLines(entry)) io.out(line);
  const story = await storyOf(journal, entry);
  for (const line of storyLines(entry, story)) io.out(line);
  const moves = await journal.moves(entry.id);
  io.out("What happened (UTC):");
  for (const move of moves) io.out(`  ${describeMove(move)}`);
  for (const line of waitingLines(entry, nowMs)) io.out(line);
  const advice =
    entry.state === "in-doubt"
      ? howToEnd(entry, comparisonOf(entry, moves, await knownIdentity(journal, entry)))
      : ended(entry, moves, story, entry.state === "refused" ? await twinsOf(journal, entry) : []);
  for (const line of [...advice, ...(await typedNumber(journal, entry)), ...replaceable(entry, moves)]) io.out(line);
  io.out(`What to tell the cashier: «${cashierWords(entry, story)}»`);
  return 0;
}

/** What was sold without a readable mark somebody has to know of: the point of sale answers for it. */
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

/** Who has to do something by when; nothing once it has ended. */
function waitingLines(entry: Entry, nowMs: number): string[] {
  const waiting = waitingOf(entry, nowMs);
  if (waiting === undefined) return [];
  const { owner, ageMs, untilMs, next } = waiting;
  const whose = owner === "server" ? `the server's until ${instant(untilMs)}, then a person's` : `a person's since ${instant(untilMs)}`;
  return [`Open for ${ageText(ageMs)}; ${whose}.`, `Next: ${next}.`];
}

/** What to compare, what each answer means, and the command that settles it. */
function howToEnd(entry: Entry, comparison: readonly string[]): string[] {
  const { id, document } = entry;
  const cash = isCash(document);
  return [
    "The lane of this register waits until the server or you say what is true. To find out, look for this on the register's paper,",
    cash ? "and at its drawer:" : "in its archive (document by number) or at the data operator:",
    ...comparison,
    `Exactly one such document is there: it was registered. Settle it with what stands on it:`,
    `  journal settle ${id} --done ${paperOptions(entry)}`,
    `No such document is there: nothing was registered. Settle it, and ${whoRepeats(entry)}:`,
    `  journal settle ${id} --refused --why "…"`,
    ...indented(dueWhenMissing(entry)),
    ...(cash || isTrade(document)
      ? [`Two or more are there: it was registered twice. Settle it as done with the first one.`, ...indented(dueWhenDoubled(entry))]
      : []),
    ...(isTrade(document)
      ? [
          "It is there with our id and another sum: it is not what was sent, and it is registered. Settle it with its own figures:",
          `  journal settle ${id} --done ${paperOptions(entry)} --sum СУММА`,
          ...indented(dueWhenWrong(entry)),
        ]
      : []),
    ...(entry.checkpoint === undefined
      ? []
      : [
          `Another drive than ${entry.checkpoint.driveNumber} is in the register: look into the archive of that one, then settle in the same way.`,
        ]),
    "The register is asked before you are believed. While a server runs it alone may speak to it: stop the server, or add --unconfirmed.",
  ];
}

function ended(entry: Entry, moves: readonly Move[], story: CorrectionStory, twins: readonly Entry[]): string[] {
  const due = afterPerson(entry, moves);
  if (entry.state === "refused") {
    const missed = standingStep(entry, story, "missed");
    return missed === undefined ? [...adviceFor(entry, story, twins), ...due] : registeredSince(missed);
  }
  if (entry.state !== "done") return [];
  const repeat = entry.operation.kind === "correction" ? "" : " A repeat of the document gets the stored answer.";
  const cases = [...repairLines(entry, story), ...due];
  const unless = cases.length === 0 ? "" : ", as long as what was registered is right and stands there once";
  return [`What to do: nothing${unless}.${repeat}`, ...cases];
}

/** Where a lane stands behind a number that a person has typed, the lane is well and the number is wrong. */
async function typedNumber(journal: Journal, entry: Entry): Promise<string[]> {
  const behind = overtaking(entry);
  const owner = behind === undefined ? undefined : await journal.get(behind.entryId);
  if (behind === undefined || owner === undefined) return [];
  const { id } = owner;
  const moves = await journal.moves(id);
  if (!mayTakeBack(owner.state, moves) || registerSaid(moves) === "confirmed")
    return [`ФД ${behind.number} is that of entry ${id}, as the register itself said.`];
  return [
    `ФД ${behind.number} is that of entry ${id}, on a person's word. If it is wrong, say what is right, and the register takes documents again:`,
    `  journal settle ${id} --done ${paperOptions(owner)} --again`,
  ];
}

/** A person's word can be replaced; the register's own cannot, and what it has confirmed is as good as that. */
function replaceable(entry: Entry, moves: readonly Move[]): string[] {
  const { id, state } = entry;
  if (!mayTakeBack(state, moves)) return [];
  const said = registerSaid(moves);
  if (said === "confirmed") return ["A person has settled this, and the register confirmed it."];
  return [
    `A person has settled this${said === "unconfirmed" ? ", and the register has not confirmed it" : ""}. If that was wrong:`,
    `  journal settle ${id} --done ${paperOptions(entry)} --again`,
    ...(state === "done" ? [`  journal settle ${id} --refused --why "…" --again`] : []),
  ];
}

function registeredSince({ id, state }: Entry): string[] {
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
