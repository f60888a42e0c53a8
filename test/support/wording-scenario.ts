import { OPERATOR } from "../../src/accounts/audit.ts";
import { settle } from "../../src/cli/journal/settle.ts";
import { journalCommand } from "../../src/cli/journal.ts";
import { errorOf, type FiscalError, inDoubt } from "../../src/contracts/fiscal/failures.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import type { JournalOutcome } from "../../src/journal/outcome.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { type DriveProblem, driveUnread } from "../../src/model/unreachable.ts";
import type { ClaimCheck } from "../../src/operator/settling/claim-check.ts";
import { type Statement, settleByHand } from "../../src/operator/settling/settle-by-hand.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import { EVERY_DOUBT, EVERY_REASON, EVERY_REFUSAL } from "./every-reason.ts";
import { checkpoint, entryContent, entryKey, IDENTITY, saleFacts } from "./journal-entries.ts";
import { openMemoryStore } from "./memory-store.ts";
import { VirtualClock } from "./virtual-clock.ts";

// Sends every doubt and every refusal through the journal to the till and to the operator. Prints one line of JSON, with the decisions
// and the texts for people apart.

const READ_OFF = { documentNumber: 42, fiscalSign: "2134567890", time: "2026-03-02 10:15:00", shiftNumber: 7, receiptNumber: 12 };
const STATEMENTS: readonly Statement[] = [
  { claim: { kind: "done", readOff: READ_OFF }, identity: IDENTITY, unconfirmed: false, again: false },
  { claim: { kind: "done", readOff: READ_OFF }, identity: IDENTITY, unconfirmed: true, again: false },
  { claim: { kind: "refused" }, said: "no paper came out", unconfirmed: true, again: false },
];
const REGISTER = { identity: IDENTITY, now: "2026-03-02 10:16:00" };
const FACTS = saleFacts();
const CHECKS: readonly ClaimCheck[] = [
  { kind: "confirms", facts: FACTS, register: REGISTER },
  { kind: "contradicts", contradiction: { code: "is-this-operation", facts: FACTS } },
  { kind: "contradicts", contradiction: { code: "absent", number: 42 } },
  { kind: "contradicts", contradiction: { code: "of-other-operation", number: 42 } },
  { kind: "contradicts", contradiction: { code: "misread", fields: ["sign", "shift", "time"], facts: FACTS } },
  { kind: "cannot-tell", cause: { code: "unreachable", reason: "COM3" } },
  { kind: "cannot-tell", cause: { code: "ambiguous" }, register: REGISTER },
];

const clock = new VirtualClock(Date.UTC(2026, 2, 2, 3, 15));
const store = await openMemoryStore({ clock });
const journal = new Journal({ store, clock });
const decided: unknown[] = [];
const said: string[] = [];
const io = { out: (text: string) => said.push(text), err: (text: string) => said.push(text), signal: new AbortController().signal };

let sales = 0;
async function entered(outcome: JournalOutcome, reasons?: Parameters<Journal["finish"]>[3]): Promise<Entry> {
  sales += 1;
  const content = entryContent({ key: entryKey({ documentId: `sale-${sales}` }), twinHash: `twin ${sales}` });
  return journal.finish(await journal.begin(content, checkpoint()), outcome, "register", reasons);
}

function answered({ title, message, ...error }: FiscalError): void {
  decided.push(error);
  said.push(title, message);
}

const ask = () => Promise.reject(new Failure("store-locked", "caller", "a server has the register"));
for (const doubt of EVERY_DOUBT) {
  answered(inDoubt(doubt));
  for (const statement of STATEMENTS) {
    const entry = await journal.stillInDoubt(await entered({ kind: "in-doubt", doubt }), doubt);
    const result = await settleByHand({ journal, clock, ask }, entry, statement, OPERATOR);
    decided.push(result.kind === "settled" ? [result.entry.state, result.due] : result.because);
  }
}
const problems: Record<DriveProblem, Record<string, string>> = {
  "document-not-given": { number: "42" },
  "closing-not-given": {},
  "documents-to-read": { left: "1500" },
};
const unread = Object.entries(problems).map(([problem, details]) => driveUnread(problem as DriveProblem, details));
for (const refusal of [...EVERY_REFUSAL.flatMap(({ device: _, ...own }) => [own, { code: own.code }]), ...unread]) {
  answered(errorOf(refusal));
  await entered({ kind: "refused", refusal });
}
for (const reason of EVERY_REASON) await entered({ kind: "refused", refusal: { code: "no-paper" } }, [reason]);
for (const check of CHECKS) {
  const entry = await entered({ kind: "in-doubt", doubt: { code: "answer-late" } });
  const texts = { number: "42", sign: READ_OFF.fiscalSign, time: READ_OFF.time, shift: "7", receipt: "12" };
  const services = { journal, clock, ask: () => Promise.resolve(check) };
  decided.push(await settle(services, entry, { kind: "done", texts, unconfirmed: false, again: false }, io));
}
const choice = { registers: { parse: parseAddress }, rulesOf: () => Promise.reject(new Error("nobody asks")) };
const command = journalCommand({ open: async () => ({ journal, clock, choice, close: async () => {} }) });
for (let id = 1; id <= sales; id += 1) decided.push(await command.run(["explain", `${id}`], io));
const rows = {
  entries: await store.read((db) => db.selectFrom("entries").selectAll().orderBy("id").execute()),
  moves: await store.read((db) => db.selectFrom("moves").selectAll().orderBy("number").execute()),
};
await store.close();
process.stdout.write(`${JSON.stringify({ decided, rows, said })}\n`);
