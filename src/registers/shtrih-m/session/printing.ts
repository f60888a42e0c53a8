import { pause } from "../../../kernel/clock.ts";
import { type Deadline, deadlineIn, earlier } from "../../../kernel/deadline.ts";
import type { AnswerOf, CommandName, RequestOf } from "../commands/commands.ts";
import { MODES, modeOf, SUBMODES } from "../commands/values.ts";
import { wordsOf } from "../refusals/refusals.ts";
import type { Called } from "./caller.ts";
import type { Connection } from "./connection.ts";

type Status = AnswerOf<"shortStatus">;

/** The state of the device after the wait for its printer. */
export type Printed =
  | { kind: "idle"; status: Status }
  /** The device waits for paper; what was registered stays registered (interface 6, Paper). */
  | { kind: "no-paper"; status: Status }
  | { kind: "printing"; status: Status }
  | { kind: "unreachable"; reason: string };

/** The pause between two questions to a device that prints (reference 3.3). */
const POLL_MS = 200;
/**
 * How often B0h is sent in one wait. A device that still waits after that has a fault that only a person can find
 * (reference 7.2).
 */
const MAX_CONTINUES = 3;
/** How long a command that is answered "busy" is repeated (reference 7.2). */
const BUSY_MS = 60_000;
/** How long a device without any reaction counts as cutting or printing (reference 3.3). */
const REACTION_MS = 60_000;

/** Errors of a device that prints or waits: the same command is sent again later (reference 8.2, general rule). */
const PRINTING = 0x50;
const CONTINUE = 0x58;
const WRONG_SUBMODE = 0x72;
/** 73h, the answer to questions about documents while a document of the drive is being read. */
const WRONG_MODE = 0x73;
const FROM_DRIVE: readonly CommandName[] = ["findDocument", "requestTlv", "registrationParameter"];

/**
 * Waits until the device has nothing more to print, and continues a document that stopped when paper ran out. Without
 * paper it returns at once: only a person can bring paper.
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

/** Sends a command. A device that answers "busy" has not carried it out: waits, then sends the command again. */
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

/** Continues printing after paper has been put in. The answer does not matter, because the next status shows the result. */
async function continuePrinting(connection: Connection, deadline: Deadline): Promise<void> {
  await connection.ask("continuePrinting", { password: connection.passwords.system }, deadline);
}

/**
 * Ends data output. A device stays in this mode when a document was not read to its end, and then refuses many questions about itself
 * (reference 3.5). A failure shows at the next question.
 */
export async function leaveDataOutput(connection: Connection, deadline: Deadline): Promise<void> {
  const reply = await connection.ask("shortStatus", { password: connection.passwords.system }, deadline);
  if (reply.kind === "ok" && modeOf(reply.values.mode).mode === MODES.dataOutput) await endDataOutput(connection, deadline);
}

/** Reads the begun document to its end. Before that, a desktop model accepts no other command (reference 5.8). */
async function endDataOutput(connection: Connection, deadline: Deadline): Promise<void> {
  const { system } = connection.passwords;
  for (let piece = 0; piece < MAX_PIECES; piece += 1) {
    const reply = await connection.ask("readTlv", { password: system }, deadline);
    if (reply.kind !== "ok" || reply.values.tlv.length === 0) break;
  }
  await connection.ask("interruptOutput", { password: system }, deadline);
}

/** The largest number of pieces of a document of 32 KiB, with one requisite each. */
const MAX_PIECES = 4_096;

function isBusy(name: CommandName, error: number): boolean {
  return [PRINTING, CONTINUE, WRONG_SUBMODE].includes(error) || (error === WRONG_MODE && FROM_DRIVE.includes(name));
}
