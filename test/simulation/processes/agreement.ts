import { doubtWords } from "../../../src/contracts/fiscal/doubt-words.ts";
import type { Entry, Move } from "../../../src/journal/entry.ts";
import type { FiscalFacts } from "../../../src/model/facts.ts";
import type { CashRecord, DriveRecord, FiscalRecord } from "../../../src/registers/virtual/records.ts";
import type { DeviceDocument, DeviceState } from "./control-answers.ts";
import type { PlatformDocument } from "./document.ts";

/** Everything that is known at the end, by its source. */
export interface Evidence {
  /** The documents that the device's control port states. */
  told: DeviceDocument[];
  state: DeviceState;
  /** The records in the drive's file. */
  records: DriveRecord[];
  /** The entries of the journal. */
  entries: Entry[];
  moves: Move[];
  /** The documents of the tills, with their answers. */
  documents: PlatformDocument[];
}

export interface Agreement {
  /** Documents that are answered or journalled as done, but missing in the drive. Entries that never ended count too. */
  lost: string[];
  /** Documents in the drive that have no done entry of their own. */
  doubled: string[];
  /** Documents that are in the drive and in the journal, but differ. */
  differing: string[];
  doubts: number;
  settledByItself: number;
  /** How many of the doubts were documents that stood in the drive, so that only their answer was lost. */
  foundRegistered: number;
}

/** Compares the drive, the journal and the tills' answers with each other. */
export function compare(evidence: Evidence): Agreement {
  const { entries, moves } = evidence;
  const ends = moves.filter(({ to, by }) => (by === "look-up" || by === "restart") && (to === "done" || to === "refused"));
  const open = entries.filter(({ state }) => state !== "done" && state !== "refused");
  const fiscal = compareFiscal(evidence);
  const cash = compareCash(evidence);
  return {
    lost: [
      ...fiscal.lost,
      ...cash.lost,
      ...open.map((entry) => `entry ${entry.id} is ${entry.state}: ${entry.doubt === undefined ? "never ended" : doubtWords(entry.doubt)}`),
    ],
    doubled: [...fiscal.doubled, ...cash.doubled],
    differing: [...fiscal.differing, ...differsFromFile(evidence), ...differsFromAnswers(evidence), ...differsInDrawer(evidence)],
    doubts: ends.length + open.length,
    settledByItself: ends.length,
    foundRegistered: ends.filter(({ to }) => to === "done").length,
  };
}

type Compared = Pick<Agreement, "lost" | "doubled" | "differing">;

/** Compares by number. Each document of the drive must have one done entry, and each done entry one document. */
function compareFiscal({ records, entries }: Evidence): Compared {
  const found: Compared = { lost: [], doubled: [], differing: [] };
  const made = records.filter((record) => record.kind === "fiscal");
  const done = entries.filter((entry) => entry.state === "done" && entry.facts?.kind === "fiscal");
  const byNumber = new Map(made.map((record) => [record.facts.documentNumber, record]));
  const owners = new Map<number, Entry>();
  for (const entry of done) {
    if (entry.facts?.kind !== "fiscal") continue;
    const { documentNumber } = entry.facts;
    const record = byNumber.get(documentNumber);
    const owner = owners.get(documentNumber);
    if (record === undefined) found.lost.push(`${nameOf(entry)} is done as ФД ${documentNumber}, which the drive has not`);
    else if (owner !== undefined) found.lost.push(`${nameOf(entry)} and ${nameOf(owner)} are both done as ФД ${documentNumber}`);
    else found.differing.push(...differencesOf(entry, entry.facts, record));
    owners.set(documentNumber, entry);
  }
  for (const { facts, reference } of made) {
    if (!owners.has(facts.documentNumber))
      found.doubled.push(`ФД ${facts.documentNumber} (${facts.document}, ${reference}) has no done entry`);
  }
  return found;
}

/** Slips have neither number nor reference, so their count by kind, sum and shift is compared. */
function compareCash({ records, entries }: Evidence): Compared {
  const made = countsOf(records.filter((record) => record.kind === "cash").map(slipOf));
  const done = countsOf(entries.flatMap(({ state, facts }) => (state === "done" && facts?.kind === "cash" ? [slipOf(facts)] : [])));
  const slips = [...new Set([...made.keys(), ...done.keys()])];
  const surplus = (slip: string) => (made.get(slip) ?? 0) - (done.get(slip) ?? 0);
  return {
    lost: slips.filter((slip) => surplus(slip) < 0).map((slip) => `${slip}: ${-surplus(slip)} more in the journal`),
    doubled: slips.filter((slip) => surplus(slip) > 0).map((slip) => `${slip}: ${surplus(slip)} more at the register`),
    differing: [],
  };
}

function differencesOf(entry: Entry, facts: FiscalFacts, { facts: made, reference }: FiscalRecord): string[] {
  const pairs: [what: string, journal: unknown, drive: unknown][] = [
    ["kind", entry.document.kind, made.document],
    ["sign", facts.fiscalSign, made.fiscalSign],
    ["minute", minute(facts.time), minute(made.time)],
    ["shift", facts.shiftNumber, made.shiftNumber],
    ["receipt", JSON.stringify(facts.receipt), JSON.stringify(made.receipt)],
    ["sum", "totalKopecks" in entry.document ? entry.document.totalKopecks : undefined, made.receipt?.totalKopecks],
    // Reports are sent without a reference.
    ["reference", made.receipt === undefined ? reference : entry.document.reference, reference],
  ];
  return pairs
    .filter(([, journal, drive]) => journal !== drive)
    .map(([what, journal, drive]) => `${nameOf(entry)}: ${what} ${journal} in the journal, ${drive} in the drive`);
}

/** The control port must state what the file holds, and the numbers must have no gap. */
function differsFromFile({ told, records, state }: Evidence): string[] {
  const made = records.filter((record) => record.kind === "fiscal").map(({ facts }) => `${facts.documentNumber} ${facts.fiscalSign}`);
  const said = told.filter(({ kind }) => kind !== "registration").map((one) => `${one.documentNumber} ${one.fiscalSign}`);
  const numbers = told.map(({ documentNumber }) => documentNumber);
  const gap = numbers.findIndex((number, index) => number !== index + 1);
  return [
    ...(said.join() === made.join() ? [] : ["the control port tells other documents than the drive's file holds"]),
    ...(gap === -1 ? [] : [`ФД ${numbers[gap]} stands in place ${gap + 1}`]),
    ...(state.lastDocument === numbers.length ? [] : [`${numbers.length} documents, and the last is ФД ${state.lastDocument}`]),
    ...(state.shift.open ? ["the shift is open at the end"] : []),
  ];
}

/** The answer to a till must state what the drive holds, with the sum of the request. */
function differsFromAnswers({ told, documents, entries }: Evidence): string[] {
  const byNumber = new Map(told.map((document) => [String(document.documentNumber), document]));
  return documents.flatMap((document) => {
    const { answered, title } = document;
    if (answered === undefined) return [];
    const { fiscalDocNumber, fiscalDocSign, time } = answered.answer;
    const entry = entries.find(({ key, state }) => key.documentId === document.id && state === "done" && isOf(key.operation, document));
    if (entry === undefined) return [`${title} was answered with success and has no done entry`];
    if (fiscalDocNumber === "0") {
      const sumKopecks = entry.facts?.kind === "cash" ? entry.facts.sumKopecks : undefined;
      return sumKopecks === answered.version.sumKopecks
        ? []
        : [`${title} was asked for ${answered.version.sumKopecks} kopecks, ${sumKopecks} were moved`];
    }
    const made = byNumber.get(fiscalDocNumber);
    const same =
      made?.fiscalSign === fiscalDocSign &&
      minute(made.time) === minute(time) &&
      (made.receipt?.totalKopecks ?? 0) === answered.version.sumKopecks &&
      entry.facts?.kind === "fiscal" &&
      entry.facts.documentNumber === made.documentNumber;
    return same
      ? []
      : [`${title} was answered ФД ${fiscalDocNumber} ФП ${fiscalDocSign} of ${time}; the drive has ${JSON.stringify(made)}`];
  });
}

const OPERATIONS: Record<PlatformDocument["operation"], Entry["key"]["operation"]> = {
  openshift: "open-shift",
  retaildemand: "sale",
  retaisalesreturn: "sales-return",
  retaildrawercashin: "cash-in",
  retaildrawercashout: "cash-out",
  closeshift: "close-shift",
};

function isOf(operation: Entry["key"]["operation"], document: PlatformDocument): boolean {
  return OPERATIONS[document.operation] === operation;
}

function differsInDrawer({ entries, state }: Evidence): string[] {
  const expected = entries.reduce((sum, entry) => sum + drawerChange(entry), 0);
  return expected === state.drawerKopecks ? [] : [`the drawer has ${state.drawerKopecks} kopecks, the journal says ${expected}`];
}

function drawerChange({ state, document }: Entry): number {
  if (state !== "done") return 0;
  if (document.kind === "cash-in") return document.sumKopecks;
  if (document.kind === "cash-out") return -document.sumKopecks;
  if (document.kind !== "receipt") return 0;
  return document.sign === 1 ? document.tenders.cashKopecks : -document.tenders.cashKopecks;
}

function slipOf({ document, sumKopecks, shiftNumber }: Pick<CashRecord, "document" | "sumKopecks" | "shiftNumber">): string {
  return `${document} of ${sumKopecks} kopecks in shift ${shiftNumber}`;
}

function countsOf(slips: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const slip of slips) counts.set(slip, (counts.get(slip) ?? 0) + 1);
  return counts;
}

/** The time without its seconds, which registers of the Shtrih-M protocol do not state. */
function minute(time: string): string {
  return time.slice(0, "2026-11-12 15:42".length);
}

function nameOf({ id, key, operation }: Entry): string {
  return `entry ${id} (${key.operation} ${operation.name})`;
}
