import type { Deadline } from "../../../kernel/deadline.ts";
import { present } from "../../../kernel/present.ts";
import { findingsOf } from "../../examination-findings.ts";
import type { Examined, Facts } from "../../examination-schema.ts";
import type { ExaminationServices } from "../../protocol.ts";
import { modeOf } from "../commands/values.ts";
import { type Abilities, readAbilities, readModel } from "../identity/abilities.ts";
import { NO_LIMIT } from "../identity/fields.ts";
import type { Connection } from "../session/connection.ts";
import type { Glance } from "../state/view.ts";
import { ownFindings } from "./findings.ts";
import { readIdentity } from "./identity.ts";
import type { LineTraffic } from "./line.ts";
import { Questions, titleOf } from "./questions.ts";
import { otherRates, sentRates } from "./rates.ts";
import { readStatus, type Status, stateFacts } from "./status.ts";
import { readTables } from "./tables.ts";

interface ExaminedDevice {
  address: string;
  connection: Connection;
  traffic: Readonly<LineTraffic>;
  print: "paper" | "none";
}

/** Examines a device and returns its facts and findings. It sends only questions: it registers, writes, prints and cancels nothing. */
export async function examine(
  { address, connection, traffic, print }: ExaminedDevice,
  { clock, zone, zoneKnown }: ExaminationServices,
  deadline: Deadline,
): Promise<Examined> {
  const questions = new Questions(connection, traffic, deadline);
  const model = await readModel(questions, NO_LIMIT);
  if (model.kind === "unreachable") return model;
  const first = await readStatus(questions, clock);
  const abilities = await readAbilities(questions, model.value, NO_LIMIT);
  const tables = await readTables(questions, model.value, abilities.kind === "reached" ? abilities.value : NO_ABILITIES);
  const identity = await readIdentity(questions, model.value, first.long);
  const others = abilities.kind === "reached" ? await otherRates(questions, abilities.value) : [];
  const { medianMs, last } = await roundTrips(questions);
  if (questions.lost !== undefined) return { kind: "unreachable", reason: questions.lost };

  // The last of the repeated answers has the current state of paper and cover.
  const status: Status = last === undefined ? first : { ...first, glance: last };
  const facts: Facts = {
    address,
    examinedAt: new Date(clock.nowMs()).toISOString(),
    identity,
    ...stateFacts(status, { zone, zoneKnown }),
    tables: [...tables.values()].map(({ reported }) => reported),
    rates: abilities.kind === "reached" ? sentRates(abilities.value) : [],
    line: questions.quality(medianMs),
    unanswered: [...questions.unanswered],
  };
  const own = ownFindings({
    facts,
    tables,
    otherRates: others,
    print,
    passwords: status.passwords,
    needed: NEEDED.map(titleOf).filter((title) => facts.unanswered.some(({ question }) => question === title)),
    ...(status.glance === undefined ? {} : { mode: modeOf(status.glance.mode).mode }),
  });
  return { kind: "examined", examination: { ...facts, findings: findingsOf(facts, own, print === "paper") } };
}

/** Questions that the driver needs for an inspection before a document. */
const NEEDED = ["shortStatus", "longStatus", "driveStatus", "shiftParameters", "operatorStatus"] as const;
const NO_ABILITIES: Abilities = { tagsBeforeItem: false, taxRows: 0, vat20: "unclear", taxOnTotal: false };

/**
 * How many questions measure the round trip. The number is odd, so that one measured time is the median when all are answered. On a healthy
 * line all these questions together take a tenth of a second.
 */
const ROUND_TRIPS = 7;

/** Asks for the short status several times. Returns the median time and the newest answer. */
async function roundTrips(questions: Questions): Promise<{ medianMs?: number; last?: Glance }> {
  const took: number[] = [];
  let last: Glance | undefined;
  for (let count = 0; count < ROUND_TRIPS; count += 1) {
    const timed = await questions.timed("shortStatus", { password: questions.passwords.system });
    if (timed === undefined) continue;
    took.push(timed.tookMs);
    last = timed.values;
  }
  const medianMs = took.sort((a, b) => a - b)[Math.floor(took.length / 2)];
  return { ...present({ medianMs, last }) };
}
