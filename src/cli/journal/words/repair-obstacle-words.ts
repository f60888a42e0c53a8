import type { Entry } from "../../../journal/entry.ts";
import { formatKopecks } from "../../../kernel/money.ts";
import { SETTLEMENT_SIGNS } from "../../../model/document.ts";
import type { FiscalFacts } from "../../../model/facts.ts";
import type { StandingObstacle } from "../../../operator/corrections/correction-standing.ts";
import type { RightObstacle, StepsObstacle } from "../../../operator/corrections/correction-steps.ts";
import type { TargetObstacle } from "../../../operator/corrections/correction-target.ts";
import type { Read } from "../../../operator/corrections/drive-search.ts";
import type { RepairObstacle } from "../../../operator/corrections/repair-plan.ts";
import { SIGN_WORDS } from "../correction-options.ts";
import { dayWords, rateWords } from "./limit-words.ts";

type WordsOf<Obstacle extends { code: string }> = {
  [Code in Obstacle["code"]]: (obstacle: Extract<Obstacle, { code: Code }>, entry: Entry) => string;
};

/** Returns why no correction can repair the entry, and what to do instead. */
export function repairObstacleWords(entry: Entry, obstacle: RepairObstacle): string {
  return (WORDS[obstacle.code] as (obstacle: RepairObstacle, entry: Entry) => string)(obstacle, entry);
}

const TARGET: WordsOf<TargetObstacle> = {
  "sign-of-other-entry": ({ fiscalSign, owner }) =>
    `ФП ${fiscalSign} is the sign of entry ${owner.id} (${owner.key.operation} ${owner.operation.name}): journal correct ${owner.id}`,
  "no-copy": ({ found }, { id }) =>
    `ФД ${found.documentNumber} has this ФП and is no copy of entry ${id}: it is ${foundWords(found)}. What it settled is not in this journal: correct it at the register's own menu`,
  "sign-unknown": ({ fiscalSign, driveNumber, read }) =>
    `Neither the journal nor the drive knows ФП ${fiscalSign}: ${readWords(driveNumber, read)}. Say its number by --number N where it stands elsewhere; if it is in no drive that answers here, and you answer for it, --unknown-sign`,
  "drive-not-asked": ({ fiscalSign, reason }) => `The register cannot be asked for ФП ${fiscalSign}: ${reason}. Nothing was registered`,
};

const STEPS: WordsOf<Exclude<StepsObstacle, RightObstacle>> = {
  "no-receipt": (_, { id }) => `Entry ${id} is no receipt: reports and slips for cash are never corrected`,
  "day-impossible": ({ settledOn, problem, today }) =>
    `The settlement cannot have been on ${settledOn}: ${dayWords(problem, today)}. Say by --date which day it was`,
  "not-ended": (_, { id, state }) => `Entry ${id} is ${state}: what became of it must be known first; see \`journal explain ${id}\``,
  "no-fiscal-document": (_, { id }) => `Entry ${id} has no fiscal document`,
  "returns-uncorrectable": () =>
    "This register works by format 1.05, which knows no correction of returns: undo the sale by an ordinary return at the till instead",
  "nothing-to-undo": (_, { id }) => `Entry ${id} was never registered: there is no receipt to undo, so --right and --sign have no place`,
  "settled-nothing": (_, { id }) => `Entry ${id} settled nothing: there is nothing to register`,
  "is-correction": ({ of }) => `This is a correction that was not registered: say \`journal correct ${of}\` again, as it was said then`,
};

const RIGHT: WordsOf<RightObstacle> = {
  "right-of-other-document": (_, { id }) =>
    `The right data are those of another document, as document.reference says: begin with \`journal show ${id} --json\``,
  "field-fixed": ({ field }, { id }) =>
    `document.${field}: no correction changes that; put it back as \`journal show ${id} --json\` has it`,
  "basis-changed": () => "document.basis: say the day by --date and the order by --order, and put it back",
  "sign-differs": ({ right, wrong }) =>
    `The right data are ${SETTLEMENT_SIGNS[right]} and what was registered is ${SETTLEMENT_SIGNS[wrong]}. If money went the other way, say --settles ${SIGN_WORDS[right]}; else put document.sign right: ${wrong}`,
  "sign-not-as-said": ({ right, said }) =>
    `--settles ${SIGN_WORDS[said]} does not hold: the right data are ${SETTLEMENT_SIGNS[right]}, document.sign ${right}`,
  "nothing-new": () => "The right data are what was registered: there is nothing to put right. Leave --right out to undo it alone",
  "rate-impossible": ({ problem }) => `document.${rateWords(problem)}`,
};

const STANDING: WordsOf<StandingObstacle> = {
  "twin-registered": ({ twin }) =>
    `The same document is entry ${twin.id} (${twin.state}) under the other id type: it must not be registered beside that`,
  "settled-anew": ({ correction }, { id }) =>
    `Entry ${id} was settled anew after entry ${correction.id} had corrected what it was before: undo that first, by journal correct ${correction.id}`,
  "made-with-other-data": ({ step, entry: { id, state } }) =>
    `${step}: this correction ${state === "done" ? "was registered" : "was begun"} already with other data. See \`journal explain ${id}\`. Correct that entry if it is wrong.`,
  "undone-again": ({ step, entry, undoing }) =>
    `${step}: entry ${entry.id} registered this, and entry ${undoing.id} undoes that again. See \`journal explain ${undoing.id}\` and correct the last one of them.`,
};

const WORDS: WordsOf<RepairObstacle> = { ...TARGET, ...STEPS, ...RIGHT, ...STANDING };

function foundWords({ document, receipt }: FiscalFacts): string {
  return receipt === undefined ? document : `${document}, ${SETTLEMENT_SIGNS[receipt.sign]} of ${formatKopecks(receipt.totalKopecks)}`;
}

/** Returns which part of the drive was searched without success, or why the drive was not searched. */
export function readWords(driveNumber: string, read: Read): string {
  switch (read.kind) {
    case "nothing":
      return `the register has drive ${driveNumber} now, another than the receipt's`;
    case "one":
      return `not ФД ${read.number} in drive ${driveNumber}`;
    case "around":
      return `none of the ${read.distance} documents on either side of ФД ${read.number} in drive ${driveNumber}`;
  }
}
