import { pause } from "../../../kernel/clock.ts";
import { type Deadline, deadlineIn, earlier } from "../../../kernel/deadline.ts";
import type { AnswerOf, CommandName, RequestOf } from "../commands/commands.ts";
import { MODES, modeOf, SUBMODES } from "../commands/values.ts";
import { wordsOf } from "../refusals/refusals.ts";
import type { Called } from "./caller.ts";
import type { Connection } from "./connection.ts";

type Status = AnswerOf<"shortStatus">;

export type Printed =
  | { kind: "idle"; status: Status }
  /** The device waits for paper. Registered documents stay registered (interface 6, Paper). */
  | { kind: "no-paper"; status: Status }
  | { kind: "printing"; status: Status }
  | { kind: "unreachable"; reason: string };

/** The pause between two questions to a device that is printing (shtrih-protocol 3.3). */
const POLL_MS = 200;
/**
 * How often B0h is sent in one wait. A device that still waits after that has a fault that only a person can find (shtrih-protocol 7.2).
 */
const MAX_CONTINUES = 3;
/** How long a command with a "busy" answer is repeated (shtrih-protocol 7.2). */
const BUSY_MS = 60_000;
/** How long a device without any reaction counts as cutting or printing (shtrih-protocol 3.3). */
const REACTION_MS = 60_000;

/** Errors of a device that is printing or waiting. The same command is sent again later (shtrih-protocol 8.2, general rule). */
const PRINTING = 0x50;
const CONTINUE = 0x58;
const WRONG_SUBMODE = 0x72;
/** 73h: the answer to questions about documents while the device is printing, or while a document is being read from the drive. */
const WRONG_MODE = 0x73;
const FROM_DRIVE: readonly CommandName[] = ["findDocument", "requestTlv", "registrationParameter"];

/**
 * Waits until the device has finished printing, but at most until the deadline. Continues a document that stopped without paper. Returns
 * immediately without paper, because only a person can add paper.
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

/** Sends a command. A device that answers "busy" has not carried out the command, so the command is sent again after a wait. */
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

/** Continues printing after paper was added. The answer is ignored, because the next status shows the result. */
async function continuePrinting(connection: Connection, deadline: Deadline): Promise<void> {
  await connection.ask("continuePrinting", { password: connection.passwords.system }, deadline);
}

/**
 * Ends data output. A device stays in this mode after an unfinished reading, and then refuses many questions about itself (shtrih-protocol
 * 3.5). A failure shows at the next question.
 */
export async function leaveDataOutput(connection: Connection, deadline: Deadline): Promise<void> {
  const reply = await connection.ask("shortStatus", { password: connection.passwords.system }, deadline);
  if (reply.kind === "ok" && modeOf(reply.values.mode).mode === MODES.dataOutput) await endDataOutput(connection, deadline);
}

/** Reads the begun document to its end. Until then a desktop model stays in data output and refuses most commands (shtrih-protocol 5.8). */
async function endDataOutput(connection: Connection, deadline: Deadline): Promise<void> {
  const { system } = connection.passwords;
  for (let piece = 0; piece < MAX_PIECES; piece += 1) {
    const reply = await connection.ask("readTlv", { password: system }, deadline);
    if (reply.kind !== "ok" || reply.values.tlv.length === 0) break;
  }
  await connection.ask("interruptOutput", { password: system }, deadline);
}

/** The limit of pieces: more than a 32 KiB document has, with one requisite per piece. */
const MAX_PIECES = 4_096;

function isBusy(name: CommandName, error: number): boolean {
  return [PRINTING, CONTINUE, WRONG_SUBMODE].includes(error) || (error === WRONG_MODE && FROM_DRIVE.includes(name));
}
