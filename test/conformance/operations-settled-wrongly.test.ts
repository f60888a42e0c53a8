import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import type { Register } from "../../src/registers/register.ts";
import { sample } from "../support/extent.ts";
import { keptLog, type LogLine } from "../support/http-server.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { once, Trial } from "../support/registers.ts";
import { journal } from "../support/settle-command.ts";
import { SHIFT, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const SALE = saleOperation("sale-1");
const OTHER_DRIVE = "9999078900009999";
const OPENING = shiftOperation("open-shift", { shift: SHIFT, document: { id: "shift-2", idType: "native" }, name: "2" });

interface Bench {
  till: Till;
  first: Trial;
  second: Trial;
  lines: LogLine[];
  /** Puts one of the two drives into the register. */
  put(drive: Trial): void;
}

/** A till with one register, into which either of two drives can be put. */
async function exchangeable(): Promise<Bench> {
  const first = await Trial.begin("emulator");
  const second = await Trial.begin("emulator");
  let inside = first;
  const named = <T>(value: T): T => {
    if (inside === first) return value;
    return JSON.parse(JSON.stringify(value), (key, each: unknown) => (key === "driveNumber" ? OTHER_DRIVE : each)) as T;
  };
  const register: Register = {
    identity: async (deadline) => named(await inside.register.identity(deadline)),
    inspect: async (deadline) => named(await inside.register.inspect(deadline)),
    perform: async (document, deadline) => named(await inside.register.perform(document, deadline)),
    lookUp: async (number, deadline) => named(await inside.register.lookUp(number, deadline)),
    abandon: (deadline) => inside.register.abandon(deadline),
    close: () => inside.register.close(),
  };
  const { log, lines } = keptLog();
  const till = await Till.open({ trial: await Trial.on(async () => ({ ...first.bench, register }), first.clock), log });
  const put = (drive: Trial) => {
    inside = drive;
  };
  return { till, first, second, lines, put };
}

/** Statements that a person may make without having looked. */
const WORDS = {
  refused: ["--refused", "--why", "no such receipt"],
  "done 3": ["--done", "--number", "3", "--receipt", "1"],
  "done 4": ["--done", "--number", "4", "--receipt", "2"],
} as const;
type Word = keyof typeof WORDS;
const ALL = Object.keys(WORDS) as Word[];
const PAIRS = ALL.flatMap((one) => ALL.filter((two) => two !== one).map((two): [Word, Word] => [one, two]));

/** Events between the two statements. */
const BETWEEN = {
  nothing: async () => {},
  "another sale": async ({ till }: Bench) => void (await till.submitAndWait(saleOperation("between"))),
  "a repeat": async ({ till }: Bench) => void (await till.submitAndWait(SALE)),
  "somebody else's receipt and another sale": async ({ till, first }: Bench) => {
    await first.perform(receiptDocument({ reference: "fedcba9876543210" }));
    await till.submitAndWait(saleOperation("between"));
  },
} as const;

async function say({ till }: Bench, word: Word): Promise<void> {
  const [entry] = (await till.journal.list({ limit: 50 })).filter(({ key }) => key.documentId === SALE.document.id);
  const paper = word === "refused" ? [] : ["--sign", "0123456789", "--time", (await till.trial.state()).time, "--shift", "1"];
  const again = entry?.state === "in-doubt" ? [] : ["--again"];
  await journal(till, "runs", "settle", `${entry?.id}`, ...WORDS[word], ...paper, "--unconfirmed", ...again);
}

/** The numbers of the receipts in the drive that have an id of this server. */
async function receiptsIn(drive: Trial): Promise<number[]> {
  const numbers: number[] = [];
  for (let number = 1; ; number += 1) {
    const found = await drive.lookUp(number);
    if (found.kind === "absent") return numbers;
    const isOurs = found.kind === "found" && found.facts.document === "receipt" && found.reference !== "fedcba9876543210";
    if (isOurs) numbers.push(number);
  }
}

/** Sells with the other drive and again with the first one. Returns the answers to the tills. */
async function goOn({ till, first, second, put }: Bench): Promise<string[]> {
  const told: string[] = [];
  const tell = async (operation: Operation) => void told.push(textOf(await till.submitAndWait(operation)));
  put(second);
  for (const operation of [OPENING, SALE, saleOperation("on-second")]) await tell(operation);
  put(first);
  await till.killAndRestart();
  for (const id of ["next-1", "next-2", "next-3"]) await tell(saleOperation(id));
  await tell(SALE);
  return told;
}

describe.each(["registered", "not registered"] as const)(
  "a doubt about a sale that was %s, settled by a person who has not looked",
  (fate) => {
    describe.each(sample(Object.keys(BETWEEN) as (keyof typeof BETWEEN)[], 2))("with %s between the two words", (between) => {
      it.each(PAIRS)(
        "first %s, then %s, and another drive after that: no number is given twice, no receipt is lost in silence",
        async (one, two) => {
          const bench = await exchangeable();
          const { till, first, second, lines } = bench;
          await till.openShift();
          const cut = once("receipt", { kind: "power-cut" as const });
          first.inject(fate === "registered" ? { after: cut } : { before: cut });
          await till.submitAndWait(SALE);
          await till.settled();
          first.device.powerOn();
          await say(bench, one);
          await BETWEEN[between](bench);
          await say(bench, two);
          const told = await goOn(bench);

          const given = (await till.journal.list({ state: "done", limit: 50 })).flatMap(({ facts }) =>
            facts?.kind === "fiscal" ? [`${facts.identity.driveNumber} ${facts.documentNumber}`] : [],
          );
          expect(given).toEqual([...new Set(given)]);
          // A lane that stands still because its drive lacks a document needs a person too.
          const stands = told.at(-2) === "register-went-back";
          const said = new Set(lines.flatMap(({ level, values }) => (level === "error" ? [values.documents].flat() : [])));
          const { driveNumber } = await till.trial.state();
          for (const [drive, name] of [[first, driveNumber] as const, [second, OTHER_DRIVE] as const]) {
            for (const number of await receiptsIn(drive)) {
              const isKnown = stands || said.has(number) || (await till.journal.hasDocument(name, number));
              expect([name, number, isKnown, told]).toEqual([name, number, true, told]);
            }
          }
        },
      );
    });
  },
);
