import type { Checkpoint, Entry, Move } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EntryState } from "../../journal/states.ts";
import type { DocumentFacts } from "../../model/facts.ts";
import type { CommandIo } from "../command.ts";
import { instant, sumOf } from "./rows.ts";

/** Tells a person what happened to an operation and what to do about it. */
export async function explain(journal: Journal, entry: Entry, io: CommandIo): Promise<number> {
  const { key, operation } = entry;
  const sum = sumOf(entry);
  io.out(
    `Entry ${entry.id}: ${key.operation} ${operation.name}${sum === "" ? "" : ` of ${sum}`}, document ${key.documentId} (${entry.idType})`,
  );
  io.out(`Account ${key.accountId} of ${key.appId}, point of sale ${operation.storeId}, register ${entry.register}`);
  io.out(`It is ${entry.state}: ${MEANINGS[entry.state]}.`);
  if (entry.facts !== undefined) io.out(`Registered as ${describeFacts(entry.facts)}.`);
  if (entry.refusal !== undefined) io.out(`Refused because of ${entry.refusal.code}${deviceWords(entry)}.`);
  if (entry.doubt !== undefined) io.out(`Unknown because: ${entry.doubt}`);
  if (entry.checkpoint !== undefined) io.out(`Before it was sent: ${describeCheckpoint(entry.checkpoint)}.`);
  io.out("What happened (UTC):");
  for (const move of await journal.moves(entry.id)) io.out(`  ${describeMove(move)}`);
  for (const line of advice(entry)) io.out(line);
  return 0;
}

const MEANINGS: Record<EntryState, string> = {
  queued: "it waits for its register, and nothing has been sent",
  sending: "it is at the register, or the server ended while it was",
  done: "the register made the document, and a repeat gets the stored answer",
  refused: "nothing was registered, and a repeat is a new attempt",
  "in-doubt": "it was sent, and nobody knows whether the register made the document",
};

function advice(entry: Entry): string[] {
  switch (entry.state) {
    case "queued":
    case "sending":
      return [
        "What to do: nothing while the server runs. If it does not, start it: it takes this up by itself, asking the register first.",
      ];
    case "in-doubt":
      return [
        "What to do: as long as the server runs it asks the register every few seconds; see that it is switched on and connected.",
        "If that does not help, look at the register's paper. The lane of this register waits until you say what is true:",
        `  the document is there:  journal settle ${entry.id} --done ${paperOptions(entry)}`,
        `  nothing was printed:    journal settle ${entry.id} --refused --why "…"`,
      ];
    case "refused":
      return ["What to do: nothing here. The cashier may repeat the document."];
    case "done":
      return [];
  }
}

function paperOptions({ document }: Entry): string {
  const cash = document.kind === "cash-in" || document.kind === "cash-out";
  const fiscal = cash ? "" : "--number ФД --sign ФП ";
  return `${fiscal}--time "12.11.26 18:42" --shift СМЕНА${document.kind === "receipt" ? " --receipt ЧЕК" : ""}`;
}

function describeFacts(facts: DocumentFacts): string {
  const where = `shift ${facts.shiftNumber}, ${facts.time} on the register's clock, drive ${facts.identity.driveNumber}`;
  return facts.kind === "fiscal" ? `ФД ${facts.documentNumber} ФП ${facts.fiscalSign}, ${where}` : `a slip (${facts.document}), ${where}`;
}

function describeCheckpoint({ driveNumber, lastDocumentNumber, shiftNumber, shiftOpen, deviceTime }: Checkpoint): string {
  return `drive ${driveNumber} ended with document ${lastDocumentNumber}, shift ${shiftNumber} was ${shiftOpen ? "open" : "closed"}, the register's clock showed ${deviceTime}`;
}

function describeMove({ atMs, attempt, from, to, by, note }: Move): string {
  const what = from === undefined ? `came in as ${to}` : `${from} → ${to}`;
  return `${instant(atMs)}  attempt ${attempt}  ${what}, by ${by}${note === undefined ? "" : `: ${note}`}`;
}

function deviceWords({ refusal }: Entry): string {
  return refusal?.device === undefined ? "" : ` (the register says ${refusal.device.code}: ${refusal.device.words})`;
}
