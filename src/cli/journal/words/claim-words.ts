import { doubtWords } from "../../../contracts/fiscal/doubt-words.ts";
import { formatKopecks } from "../../../kernel/money.ts";
import type { FiscalFacts } from "../../../model/facts.ts";
import type { CannotTellCause, Contradiction } from "../../../operator/settling/claim-check.ts";

/** Returns the contradiction between the register and a person's claim, for the operator. */
export function contradictionWords(contradiction: Contradiction): string {
  switch (contradiction.code) {
    case "slip":
      return `${drawerWords(contradiction)}, and nothing else was made since: the slip was ${contradiction.wasMade ? "made" : "not made"}`;
    case "is-this-operation":
      return `document ${contradiction.facts.documentNumber} of its drive is this operation: ${figuresOf(contradiction.facts)}`;
    case "other-sum":
      return otherSumWords(contradiction.facts);
    case "absent":
      return `its drive has no document ${contradiction.number}`;
    case "foreign":
      return `document ${contradiction.number} of its drive is of another kind: ${contradiction.what}`;
    case "other-kind":
      return `document ${contradiction.number} of its drive is a ${contradiction.is}, and a ${contradiction.sent} was sent`;
    case "of-other-operation":
      return `document ${contradiction.number} of its drive carries another operation's id`;
    case "other-settlement":
      return `document ${contradiction.number} of its drive has another sum or kind of settlement than what was sent`;
    case "misread": {
      const { fields, facts } = contradiction;
      const options = fields.map((field) => `--${field}`).join(", ");
      return `what was read off differs in ${options}: document ${facts.documentNumber} of its drive is ${figuresOf(facts)}`;
    }
  }
}

/** Returns why the register could not confirm or deny a claim, for the operator. */
export function cannotTellWords(cause: CannotTellCause): string {
  switch (cause.code) {
    case "lane-full":
      return "too many operations wait for it";
    case "nothing-sent":
      return "nothing was sent to it that could be found again";
    case "unreachable":
      return cause.reason;
    case "drive-changed":
      return `it has drive ${cause.now} now, and the operation went to drive ${cause.before}`;
    case "drive-went-back":
      return `its drive ends with document ${cause.now} now and had ${cause.before} before: its memory went back`;
    case "drawer-unclear":
      return `${drawerWords(cause)}, and that proves nothing (${doubtWords(cause.doubt)})`;
    case "doubt":
      return doubtWords(cause.doubt);
    case "ambiguous":
      return "it has documents that cannot be told apart";
    case "owner-unknown":
      return `it does not tell whose document ${cause.number} is`;
    case "not-available":
      return cause.message;
  }
}

function drawerWords({ beforeKopecks, nowKopecks }: { beforeKopecks: number; nowKopecks: number }): string {
  return `the drawer had ${beforeKopecks} kopecks before it and has ${nowKopecks} now`;
}

/** Returns words for a drive that has this operation with another sum. A person has to settle the operation with the drive's figures. */
function otherSumWords(facts: FiscalFacts): string {
  const sum = facts.receipt === undefined ? "SUM" : formatKopecks(facts.receipt.totalKopecks);
  return `document ${facts.documentNumber} of its drive carries this operation's id, with another sum, ${sum}: ${figuresOf(facts)}. It is settled with --done, these figures and --sum ${sum}`;
}

function figuresOf({ fiscalSign, shiftNumber, time, receipt }: FiscalFacts): string {
  return `sign ${fiscalSign}, shift ${shiftNumber}${receipt === undefined ? "" : `, receipt ${receipt.number}`}, ${time}`;
}
