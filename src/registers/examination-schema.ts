import { z } from "zod";
import { boundedList } from "../kernel/list-schema.ts";

/*
 * The result of an examination and the JSON of `doctor --json`, which scripts read. Members may be added, but never renamed or removed. A
 * value that the register does not give is absent. Times are wall times of the device, `YYYY-MM-DD HH:MM:SS`, unless a description says
 * otherwise. The time `ours` is the server's time in `zone`.
 */

/** The largest number of tax systems and of warnings. A register has only a few. */
const MAX_KINDS = 100;
/**
 * The largest number of table fields, of rates, of unanswered questions and of findings. A register has some dozens. The numbers are
 * bounded because an agent can send this data.
 */
const MAX_ITEMS = 2_000;

const wallTime = z.string();
const count = z.number().int().nonnegative();

const identity = z.object({
  model: z.string().optional(),
  firmware: z.string().optional(),
  serialNumber: z.string().optional(),
  registrationNumber: z.string().optional(),
  inn: z.string().optional(),
  seller: z.string().optional(),
  address: z.string().optional(),
  place: z.string().optional(),
  ffd: z.string().optional().describe("Version of the documents' format: 1.05, 1.1 or 1.2"),
  taxSystems: boundedList(z.string(), { max: MAX_KINDS }).describe("osn, usn-income, usn-income-expense, eshn, patent"),
});

const drive = z.object({
  number: z.string().optional(),
  kind: z.enum(["debug", "live", "unknown"]),
  version: z.string().optional(),
  phase: z.enum(["ready", "fiscal", "closed", "unknown"]),
  keysUntil: wallTime.optional(),
  keyDaysLeft: z.number().int().optional(),
  registrationsLeft: count.optional(),
  documentsLeft: count.optional().describe("Documents for which it has room"),
  queueKilobytesLeft: count.optional().describe("Room for documents that the data operator has not confirmed"),
  lastDocument: z.object({ number: count, time: wallTime.optional() }).optional(),
  warnings: boundedList(z.enum(["keys-expire-soon", "keys-expire-now", "memory-full", "operator-timeout"]), { max: MAX_KINDS }),
});

const queue = z.object({
  unsent: count.describe("Documents that the data operator has not confirmed"),
  firstDocument: count.optional(),
  since: wallTime.optional(),
  ageDays: z.number().optional(),
  connected: z.boolean().optional().describe("Whether the register is connected to its operator just now"),
});

const clock = z.object({
  device: wallTime,
  ours: wallTime,
  zone: z.string(),
  zoneKnown: z.boolean().describe("false: the zone is the server's default, the register's own may be another"),
  aheadSeconds: z.number().int().describe("How far the device is ahead of the server's clock; below zero behind"),
});

const paper = z.object({
  roll: z.enum(["present", "out", "unknown"]),
  cover: z.enum(["closed", "open", "unknown"]),
  mechanism: z.enum(["idle", "printing", "waits-for-paper", "waits-to-continue", "unknown"]),
});

const shift = z.object({
  state: z.enum(["open", "closed", "expired", "unknown"]),
  number: count.optional(),
  openedAt: wallTime.optional(),
  ageHours: z.number().optional(),
  receipts: count.optional(),
});

const tableField = z.object({
  place: z.string().describe("T17F71: table 17, field 71"),
  what: z.string(),
  name: z.string().optional().describe("What the device calls it"),
  value: z.string(),
  words: z.string().optional().describe("What the value means"),
});

const rate = z.object({
  label: z.string(),
  code: count.describe("Tag 1199"),
  sentAs: z.string().optional().describe("The byte by which it is sent now; absent: it cannot be sent as the register is set"),
});

const line = z.object({
  protocol: z.string(),
  roundTripMs: z.number().optional().describe("Median of several questions for the short status"),
  slowestMs: z.number().describe("The slowest answer"),
  slowestQuestion: z.string().optional(),
  questions: count,
  repeated: count.describe("Questions that had to be sent again: refused by the device, lost, or their answer lost"),
  damaged: count.describe("Answers that came with a wrong check byte"),
  noise: count.describe("Pieces of bytes that mean nothing"),
  foreign: count.describe("Answers to what somebody else had asked"),
  reopened: count.describe("Times that the connection was lost and opened again"),
});

const unanswered = z.object({ question: z.string(), why: z.string(), code: z.string().optional().describe("The device's own error") });

const finding = z.object({
  weight: z.enum(["stops-now", "stops-soon", "worth-knowing"]),
  about: z.string().describe("A word that stays: drive-keys, paper, clock …"),
  words: z.string().describe("What is the matter"),
  remedy: z.string().describe("What to do about it"),
});

export const examination = z.object({
  address: z.string(),
  examinedAt: z.string().describe("Instant, ISO 8601"),
  identity,
  drive,
  queue: queue.optional(),
  clock: clock.optional(),
  paper,
  shift,
  openDocument: z.string().optional().describe("What stands open, in words; absent: nothing"),
  mode: z.object({ number: z.string(), words: z.string() }).optional(),
  tables: boundedList(tableField, { max: MAX_ITEMS }),
  rates: boundedList(rate, { max: MAX_ITEMS }),
  line: line.optional(),
  unanswered: boundedList(unanswered, { max: MAX_ITEMS }),
  findings: boundedList(finding, { max: MAX_ITEMS }).describe("The heaviest first"),
});

export type Examination = z.output<typeof examination>;
export type Finding = z.output<typeof finding>;
/** The observed values, without findings. */
export type Facts = Omit<Examination, "findings">;
export type TableValue = z.output<typeof tableField>;
export type LineQuality = z.output<typeof line>;

export type Examined =
  | { kind: "examined"; examination: Examination }
  /** Another process uses the register, on the machine that made the examination: this machine, or the agent's. */
  | { kind: "held"; holder: string }
  | { kind: "unreachable"; reason: string };
