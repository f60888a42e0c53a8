import { pause } from "../../../kernel/clock.ts";
import { type Deadline, deadlineIn, earlier } from "../../../kernel/deadline.ts";
import type { AnswerOf, CommandName, RequestOf } from "../commands/commands.ts";
import { MODES, modeOf, SUBMODES } from "../commands/values.ts";
import { wordsOf } from "../refusals/refusals.ts";
import type { Called } from "./caller.ts";
import type { Connection } from "./connection.ts";

export type Status = AnswerOf<"shortStatus">;

/** Whether the device is done with its paper, as far as it could be awaited. */
export type Printed =
  | { kind: "idle"; status: Status }
  /** It stands and waits for paper; what was registered stays registered (interface 6, Paper). */
  | { kind: "no-paper"; status: Status }
  | { kind: "printing"; status: Status }
  | { kind: "unreachable"; reason: string };

/** Pause between two looks at a device that prints (reference 3.3). */
const POLL_MS = 200;
/** B0h for one paper end: a device that still waits has a fault that only a person can see (reference 7.2). */
const MAX_CONTINUES = 3;
/** Commands that say "busy" are repeated for that long (reference 7.2). */
const BUSY_MS = 60_000;
/** How long a device that does not even react is taken for one that cuts and prints (reference 3.3). */
const REACTION_MS = 60_000;

/** Errors of a device that prints or waits: the same command is sent again later (reference 8.2, general rule). */
const PRINTING = 0x50;
const CONTINUE = 0x58;
const WRONG_SUBMODE = 0x72;
/** 73h, while a document of the drive is asked for. */
const WRONG_MODE = 0x73;
const FROM_DRIVE: readonly CommandName[] = ["findDocument", "requestTlv", "registrationParameter"];

/**
 * Waits until the device has nothing more to print, continuing what stopped for want of paper. Without
 * paper it returns at once: paper comes when a person brings it.
 */
export async function awaitPrinted(connection: Connection, deadline: Deadline): Promise<Printed> {
  for (let continues = 0; ; ) {
    const reply = await connection.ask("shortStatus", { password: connection.passwords.system }, deadline);
    if (reply.kind === "unreachable") return reply;
    if (reply.kind === "error") return { kind: "unreachable", reason: wordsOf(reply.error) };
    const status = reply.values;
    switch (status.submode) {
      case SUBMODES.idle:
        if (modeOf(status.mode).mode !== MODES.dataOutput) return { kind: "idle", status };
        await endDataOutput(connection, deadline);
        break;
      case SUBMODES.noPaper:
      case SUBMODES.noPaperPrinting:
        return { kind: "no-paper", status };
      case SUBMODES.paperBack:
        if (continues === MAX_CONTINUES) return { kind: "no-paper", status };
        continues += 1;
        await continuePrinting(connection, deadline);
        break;
    }
    if (deadline.remainingMs() <= POLL_MS) return { kind: "printing", status };
    await pause(connection.clock, POLL_MS);
  }
}

/** Sends a command; a device that answers "busy" is awaited and given the same command again. */
export async function callWhenPrinted<N extends CommandName>(
  connection: Connection,
  name: N,
  values: RequestOf<N>,
  deadline: Deadline,
): Promise<Called<N>> {
  const limit = earlier(deadline, deadlineIn(connection.clock, BUSY_MS));
  for (;;) {
    const called = await connection.call(name, values, { deadline, reactionMs: REACTION_MS });
    if (called.kind !== "error" || !isBusy(name, called.error) || limit.remainingMs() <= 0) return called;
    await pause(connection.clock, POLL_MS);
    const printed = await awaitPrinted(connection, limit);
    if (printed.kind !== "idle") return called;
  }
}

/** After paper has come back; the answer does not matter, the status does. */
export async function continuePrinting(connection: Connection, deadline: Deadline): Promise<void> {
  await connection.ask("continuePrinting", { password: connection.passwords.system }, deadline);
}

/**
 * A document whose reading was cut off keeps the device in its data output, where it refuses much of what it
 * otherwise tells of itself: brought to its end at the start (reference 3.5). A failure shows at the next question.
 */
export async function leaveDataOutput(connection: Connection, deadline: Deadline): Promise<void> {
  const reply = await connection.ask("shortStatus", { password: connection.passwords.system }, deadline);
  if (reply.kind === "ok" && modeOf(reply.values.mode).mode === MODES.dataOutput) await endDataOutput(connection, deadline);
}

/** Somebody has begun to read a document and not ended: a desktop model takes nothing else until then (reference 5.8). */
async function endDataOutput(connection: Connection, deadline: Deadline): Promise<void> {
  const { system } = connection.passwords;
  for (let piece = 0; piece < MAX_PIECES; piece += 1) {
    const reply = await connection.ask("readTlv", { password: system }, deadline);
    if (reply.kind !== "ok" || reply.values.tlv.length === 0) break;
  }
  await connection.ask("interruptOutput", { password: system }, deadline);
}

/** A document of 32 KiB in pieces of one requisite each. */
const MAX_PIECES = 4_096;

function isBusy(name: CommandName, error: number): boolean {
  return [PRINTING, CONTINUE, WRONG_SUBMODE].includes(error) || (error === WRONG_MODE && FROM_DRIVE.includes(name));
}
