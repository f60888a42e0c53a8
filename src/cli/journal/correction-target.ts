import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { isTrade, SETTLEMENT_SIGNS } from "../../model/document.ts";
import { correctionsOf } from "../../operations/corrections.ts";
import type { Sought } from "../../operator/corrections/drive-search.ts";
import type { RegisterQuestions } from "../../operator/register-questions.ts";
import type { CorrectOptions } from "./correction-options.ts";
import { sumOf } from "./rows.ts";

/** `head`: what is corrected, in one line; `warnings`: what nobody here could check about it. */
export type Target = { kind: "target"; fiscalSign?: string; head: string; warnings: string[] } | { kind: "impossible"; problem: string };

/**
 * Which receipt of the entry is meant: the one that the journal has, or another that `--sign` names, a copy of it
 * that the drive has too. Of that one nothing is known here, so it is looked up in the drive, with its sums; a
 * sign that neither knows is taken on a person's word alone, who says so.
 */
export async function targetOf(
  journal: Journal,
  questions: Pick<RegisterQuestions, "searchDrive"> | undefined,
  entry: Entry,
  options: CorrectOptions,
): Promise<Target> {
  const { facts } = entry;
  const { fiscalSign } = options;
  if (facts?.kind !== "fiscal" || fiscalSign === undefined || Number(fiscalSign) === Number(facts.fiscalSign)) return ownOf(entry);
  const others = await journal.doneBySign(facts.identity.driveNumber, fiscalSign);
  const [other] = others;
  if (other !== undefined) {
    return impossible(
      `ФП ${fiscalSign} is the sign of entry ${other.id} (${other.key.operation} ${other.operation.name}): journal correct ${other.id}`,
    );
  }
  const before = (await correctionsOf(journal, entry.key)).filter(({ state }) => state !== "refused");
  if (before.some((one) => undoes(one, fiscalSign))) return copyOf(entry, fiscalSign, "", []);
  if (questions === undefined) return copyOf(entry, fiscalSign, "", notLookedUp(fiscalSign, options.unknownSign, before));
  const { documentNumber, unknownSign } = options;
  const sought = await questions.searchDrive(entry, { fiscalSign, ...(documentNumber === undefined ? {} : { documentNumber }) });
  switch (sought.kind) {
    case "found": {
      const problem = mismatchOf(entry, sought.facts);
      if (problem !== undefined) return impossible(problem);
      return copyOf(entry, fiscalSign, `ФД ${sought.facts.documentNumber} `, []);
    }
    case "absent":
      if (unknownSign) {
        const unknown = `WARNING: neither the journal nor the drive knows ФП ${fiscalSign}: ${readWords(sought)}.`;
        return copyOf(entry, fiscalSign, "", [unknown, ...onOnesWord(before)]);
      }
      return impossible(
        `Neither the journal nor the drive knows ФП ${fiscalSign}: ${readWords(sought)}. Say its number by --number N where it stands elsewhere; if it is in no drive that answers here, and you answer for it, --unknown-sign`,
      );
    case "unreachable":
      return impossible(`The register cannot be asked for ФП ${fiscalSign}: ${sought.reason}. Nothing was registered`);
  }
}

function ownOf(entry: Entry): Target {
  const { id, key, operation, facts } = entry;
  const registered =
    facts?.kind === "fiscal" ? `registered as ФД ${facts.documentNumber} ФП ${facts.fiscalSign}, ${facts.time}` : "never registered";
  return { kind: "target", head: `Entry ${id}: ${key.operation} ${operation.name} of ${sumOf(entry)}, ${registered}.`, warnings: [] };
}

function copyOf(entry: Entry, fiscalSign: string, number: string, warnings: string[]): Target {
  const { id, key, operation, facts } = entry;
  const own = facts?.kind === "fiscal" ? `the journal's own is ФД ${facts.documentNumber} ФП ${facts.fiscalSign}` : "";
  const head = `Entry ${id}: ${key.operation} ${operation.name} of ${sumOf(entry)}, its copy ${number}ФП ${fiscalSign} (${own}, which stays).`;
  return { kind: "target", fiscalSign, head, warnings };
}

/** A correction repeats the sums of what it undoes, and those are the journal's. */
function mismatchOf({ id, document }: Entry, { documentNumber, document: kind, receipt }: FoundFacts): string | undefined {
  if (!isTrade(document)) return undefined;
  const same = kind === document.kind && receipt?.sign === document.sign && receipt.totalKopecks === document.totalKopecks;
  if (same) return undefined;
  const found = receipt === undefined ? kind : `${kind}, ${SETTLEMENT_SIGNS[receipt.sign]} of ${formatKopecks(receipt.totalKopecks)}`;
  return `ФД ${documentNumber} has this ФП and is no copy of entry ${id}: it is ${found}. What it settled is not in this journal: correct it at the register's own menu`;
}

type FoundFacts = Extract<Awaited<ReturnType<RegisterQuestions["searchDrive"]>>, { kind: "found" }>["facts"];

function undoes({ operation }: Entry, fiscalSign: string): boolean {
  return operation.kind === "correction" && operation.step === "undo" && operation.settlement.originalSign === fiscalSign;
}

function notLookedUp(fiscalSign: string, unknownSign: boolean, before: readonly Entry[]): string[] {
  const asked = `The journal does not know ФП ${fiscalSign}: with --yes the drive is asked for a receipt of that sign and these sums`;
  if (!unknownSign) return [`${asked}, and without one nothing is registered.`];
  return [`${asked}, and if it has none, your word is taken for it.`, ...onOnesWord(before)];
}

/** In words that nobody can overlook. */
function onOnesWord(before: readonly Entry[]): string[] {
  return [
    "WARNING: nobody here can check that such a receipt exists, that it holds the sums below, or that nothing has undone it yet.",
    "WARNING: if it does not exist, this registers money that never changed hands, and that stays in the drive for good.",
    ...before.map(({ id, key, state }) => `WARNING: this receipt has a correction already: entry ${id} (${key.documentId}, ${state}).`),
  ];
}

function impossible(problem: string): Target {
  return { kind: "impossible", problem };
}

/** Which documents of the drive were read and are not it. */
function readWords({ driveNumber, read }: Extract<Sought, { kind: "absent" }>): string {
  switch (read.kind) {
    case "nothing":
      return `the register has drive ${driveNumber} now, another than the receipt's`;
    case "one":
      return `not ФД ${read.number} in drive ${driveNumber}`;
    case "around":
      return `none of the ${read.distance} documents on either side of ФД ${read.number} in drive ${driveNumber}`;
  }
}
