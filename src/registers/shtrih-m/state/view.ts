import type { Deadline } from "../../../kernel/deadline.ts";
import { type WallTime, wallAsUtcMs, wallFromUtc } from "../../../kernel/moment.ts";
import type { Reached, RegisterState } from "../../register.ts";
import type { AnswerOf } from "../commands/commands.ts";
import { wordsOf } from "../refusals/refusals.ts";
import type { Connection, Reply } from "../session/connection.ts";
import { type Opening, readOpening } from "./opening.ts";

/** A complete inspection of the device, updated by this driver's later receipts. */
export interface View {
  /** The number of the opening of the link in which the values were read. */
  openings: number;
  /** When the clock was read; monotonic, ms. All other values are read after the clock. */
  readAtMs: number;
  /** How long the question for the clock took. On a bad line the answer may be this old. */
  readWithinMs: number;
  /** The device's time at `readAtMs`. */
  time: WallTime;
  driveNumber: string;
  lastDocumentNumber: number;
  shift: { open: boolean; number: number; receipts: number };
  opening?: Opening;
  drawerKopecks: number;
  queue: RegisterState["queue"];
  /** Whether this driver made the newest document and got its answer. A device that is still printing then prints this document. */
  ownDocumentLast: boolean;
}

/** The part of the state that can change at any moment. The answer to 10h and the answer to 11h contain this part. */
export interface Glance {
  flags: number;
  mode: number;
  submode: number;
}

export type DriveStatus = AnswerOf<"driveStatus">;

export interface Looked {
  view: View;
  glance: Glance;
  drive: DriveStatus;
}

/** The money register of the cash in the drawer (shtrih-protocol 5.4). */
const DRAWER = 241;

/** Reads all values of a view. `remembered`: the shift's opening, if already found. */
export async function readView(connection: Connection, remembered: Opening | undefined, deadline: Deadline): Promise<Reached<Looked>> {
  const { system } = connection.passwords;
  const askedAtMs = connection.clock.monotonicMs();
  const status = answered(await connection.ask("longStatus", { password: system }, deadline));
  if (status.kind === "unreachable") return status;
  const { openings } = connection;
  const readAtMs = connection.clock.monotonicMs();
  const drive = answered(await connection.ask("driveStatus", { password: system }, deadline));
  if (drive.kind === "unreachable") return drive;
  const shift = answered(await connection.ask("shiftParameters", { password: system }, deadline));
  if (shift.kind === "unreachable") return shift;
  const queue = await readQueue(connection, deadline);
  if (queue.kind === "unreachable") return queue;
  const drawer = answered(await connection.ask("moneyRegister", { password: system, register: DRAWER }, deadline));
  if (drawer.kind === "unreachable") return drawer;

  const { driveNumber, lastDocument } = drive.value;
  const open = shift.value.state === 1;
  const place = { driveNumber, shiftNumber: shift.value.shift, lastDocument, receipts: shift.value.receipt };
  const opening = open ? await readOpening(connection, place, remembered, deadline) : undefined;
  if (opening?.kind === "unreachable") return opening;
  const view: View = {
    openings,
    readAtMs,
    readWithinMs: readAtMs - askedAtMs,
    time: `${status.value.date} ${status.value.time}`,
    driveNumber,
    lastDocumentNumber: lastDocument,
    shift: { open, number: shift.value.shift, receipts: shift.value.receipt },
    ...(opening === undefined ? {} : { opening: opening.value }),
    drawerKopecks: drawer.value.value,
    queue: queue.value,
    ownDocumentLast: false,
  };
  return { kind: "reached", value: { view, glance: status.value, drive: drive.value } };
}

/** Returns the number of documents that the data operator has not confirmed, and the time of the oldest. */
export async function readQueue(connection: Connection, deadline: Deadline): Promise<Reached<RegisterState["queue"]>> {
  const reply = answered(await connection.ask("operatorStatus", { password: connection.passwords.system }, deadline));
  if (reply.kind === "unreachable") return reply;
  const { unsent, firstTime } = reply.value;
  return { kind: "reached", value: unsent === 0 || firstTime === "" ? { unsent } : { unsent, since: firstTime } };
}

/**
 * Computes the device's time now from the last reading. The reading took a while, so the result is never ahead of the device's clock,
 * unless the clocks drift.
 */
export function timeNow(view: View, connection: Connection): WallTime {
  return wallFromUtc(wallAsUtcMs(view.time) + Math.max(0, connection.clock.monotonicMs() - view.readAtMs));
}

type Answered<T> = { kind: "answered"; value: T } | { kind: "unreachable"; reason: string };

/** If a device refuses a plain question, its state is unknown. */
function answered<V>(reply: { kind: "ok"; values: V } | Exclude<Reply<"shortStatus">, { kind: "ok" }>): Answered<V> {
  switch (reply.kind) {
    case "ok":
      return { kind: "answered", value: reply.values };
    case "error":
      return { kind: "unreachable", reason: `Касса не называет своего состояния: ${wordsOf(reply.error)}` };
    case "unreachable":
      return reply;
  }
}
