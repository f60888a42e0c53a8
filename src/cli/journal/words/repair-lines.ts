import type { Entry } from "../../../journal/entry.ts";
import type { StandingCorrection } from "../../../operator/corrections/correction-standing.ts";
import type { Copy } from "../../../operator/corrections/correction-target.ts";
import type { Repair, RepairWarning } from "../../../operator/corrections/repair-plan.ts";
import { sumOf } from "./amounts.ts";
import { stepLines } from "./correction-lines.ts";
import { otherPlaceWarnings, placeWords } from "./place-words.ts";
import { readWords } from "./repair-obstacle-words.ts";

/** Returns lines about the corrected receipt, the plan's warnings, and the content of each correction. */
export function repairLines(entry: Entry, { copy, register, warnings, corrections }: Repair): string[] {
  const what = corrections.length === 1 ? "One correction receipt repairs it" : "Two correction receipts repair it, in this order";
  return [
    copy === undefined ? ownHead(entry) : copyHead(entry, copy),
    ...warnings.flatMap((warning) => warningLines(entry, warning, register)),
    `${what}, in an open shift,`,
    `  ${placeWords(register, `point of sale ${entry.operation.storeId}`)}:`,
    ...corrections.flatMap((planned, at) => [...stepLines(at + 1, planned.operation), ...soFar(planned)]),
  ];
}

function ownHead({ id, key, operation, document, facts }: Entry): string {
  const registered =
    facts?.kind === "fiscal" ? `registered as ФД ${facts.documentNumber} ФП ${facts.fiscalSign}, ${facts.time}` : "never registered";
  return `Entry ${id}: ${key.operation} ${operation.name} of ${sumOf({ document })}, ${registered}.`;
}

function copyHead({ id, key, operation, document, facts }: Entry, { fiscalSign, documentNumber }: Copy): string {
  const number = documentNumber === undefined ? "" : `ФД ${documentNumber} `;
  const own = facts?.kind === "fiscal" ? `the journal's own is ФД ${facts.documentNumber} ФП ${facts.fiscalSign}` : "";
  return `Entry ${id}: ${key.operation} ${operation.name} of ${sumOf({ document })}, its copy ${number}ФП ${fiscalSign} (${own}, which stays).`;
}

function warningLines(entry: Entry, warning: RepairWarning, register: string | undefined): string[] {
  switch (warning.code) {
    case "not-looked-up": {
      const search = `The journal does not know ФП ${warning.fiscalSign}: with --yes the drive is asked for a receipt of that sign and these sums`;
      return [
        warning.onWord ? `${search}, and if it has none, your word is taken for it.` : `${search}, and without one nothing is registered.`,
      ];
    }
    case "sign-unknown":
      return [
        `WARNING: neither the journal nor the drive knows ФП ${warning.fiscalSign}: ${readWords(warning.driveNumber, warning.read)}.`,
      ];
    case "on-word-alone":
      return onWordAlone(warning.corrections);
    case "was-returned":
      return [
        `WARNING: entry ${warning.by.id} (${warning.by.state}) is a return of this sale, of ${sumOf(warning.by)}: undone as a whole, that money goes back twice unless the return is undone too.`,
      ];
    case "other-register":
      return otherPlaceWarnings(register, warning.before, `entry ${entry.id} was made`);
  }
}

/** Returns the warning for corrections that rest on a person's word alone. */
function onWordAlone(corrections: readonly Entry[]): string[] {
  return [
    "WARNING: nobody here can check that such a receipt exists, that it holds the sums below, or that nothing has undone it yet.",
    "WARNING: if it does not exist, this registers money that never changed hands, and that stays in the drive for good.",
    ...corrections.map(
      ({ id, key, state }) => `WARNING: this receipt has a correction already: entry ${id} (${key.documentId}, ${state}).`,
    ),
  ];
}

function soFar({ entry }: StandingCorrection): string[] {
  if (entry === undefined) return [];
  const { id, state, facts } = entry;
  const made = facts?.kind === "fiscal" ? `: ФД ${facts.documentNumber} ФП ${facts.fiscalSign}, ${facts.time}` : "";
  return [`   so far      entry ${id} is ${state}${made}`];
}
