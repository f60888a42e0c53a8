import { withoutRival } from "../journal/correction-queries.ts";
import { withoutOtherAddress } from "../journal/drives/drive-use-queries.ts";
import type { Checkpoint, Entry, EntryContent } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { present } from "../kernel/present.ts";
import type { Outcome, Register, RegisterState } from "../registers/register.ts";
import { missedKey, rivalOf } from "./corrections.ts";
import { compareInTime, finishDone } from "./returned-more.ts";
import type { TurnServices } from "./services.ts";
import { settle } from "./settle-by-register.ts";

/** The longest time for one document: a receipt of hundreds of lines prints for a minute or two. Longer silence leaves a doubt. */
const PERFORM_LIMIT_MS = 180_000;

/** The register's state before sending. `lastMove`: the journal's newest move before the register was asked. */
export type StateBefore = RegisterState & { lastMove: number };

/**
 * Makes one document. Writes the intention and the register's last document, commits, sends, and commits the outcome. On return the entry
 * is done, refused or in doubt. `in-doubt`: the register could not tell what it printed, or the outcome could not be committed. Throws only
 * when the intention was not committed, so nothing was sent (`beginOrSend`).
 */
export async function register(
  services: TurnServices,
  device: Register,
  content: EntryContent,
  known: Entry | undefined,
  state: StateBefore,
): Promise<Entry> {
  const mayRegister = services.permission?.(content.register) ?? (async () => true);
  const sending = await beginOrSend(services.journal, content, known, state, services.chance.uuid());
  const ended = services.exchanges?.begin(content.register, sending);
  try {
    return await send(services, device, content, { sending, mayRegister });
  } finally {
    ended?.();
  }
}

async function send(services: TurnServices, device: Register, content: EntryContent, { sending, mayRegister }: Begun): Promise<Entry> {
  const { journal, log, refusals } = services;
  // A return is compared with its sale while the register prints. The comparison never rejects, and delays the commit by at most its own
  // limit.
  const comparing = compareInTime(services, sending);
  const outcome = await performed(device, { sending, mayRegister }, services);
  if (outcome.kind !== "in-doubt") refusals.ended(content, outcome.kind);
  try {
    if (outcome.kind === "done") return await finishDone(services, sending, { facts: outcome.facts, by: "register" }, comparing);
    const finished = await journal.finish(sending, outcome, "register");
    return finished.state === "in-doubt" ? await settle(services, device, finished, "look-up") : finished;
  } catch (error) {
    // The row may be unfinished. Then this lane's next turn asks the register what it printed.
    log.error({ entry: sending.id, outcome: outcome.kind, error: messageOf(error) }, "the outcome could not be committed");
    return { ...sending, state: "in-doubt", doubt: { code: "not-committed" } };
  }
}

/**
 * Commits the intention and the register's last document. From here on a doubt is possible. `attemptId`: absent when nothing is sent,
 * because the document already stands in the drive. Throws `journal-rivalled` when another lane has begun to send an operation that makes
 * the same registration. Throws `journal-drive-in-use` when another lane uses the same drive: that lane may have taken the same report.
 */
export function beginOrSend(
  journal: Journal,
  content: EntryContent,
  known: Entry | undefined,
  state: StateBefore,
  attemptId?: string,
): Promise<Entry> {
  const checkpoint = { ...checkpointOf(state), ...present({ attemptId }) };
  const alone = aloneIn(content, state);
  return known?.state === "queued" ? journal.send(known, checkpoint, content.document, alone) : journal.begin(content, checkpoint, alone);
}

/** The checks in the transaction of the intention: no other lane makes the same registration, or uses the same drive. */
function aloneIn(content: EntryContent, { driveNumber, lastMove }: StateBefore): Parameters<Journal["begin"]>[2] {
  const withoutOther = withoutOtherAddress({ driveNumber, register: content.register, lastMove });
  const without = withoutRival(content, rivalOf(content), missedKey);
  return async (tx) => {
    await without(tx);
    await withoutOther(tx);
  };
}

interface Begun {
  sending: Entry;
  mayRegister(): Promise<boolean>;
}

type PerformServices = Pick<TurnServices, "clock" | "log">;

/** A driver that throws has a bug. It may have sent anything, so the outcome is in doubt. */
async function performed(device: Register, { sending: entry, mayRegister }: Begun, { clock, log }: PerformServices): Promise<Outcome> {
  const id = entry.checkpoint?.attemptId;
  const attempt = id === undefined ? undefined : { id, mayRegister };
  try {
    return await device.perform(entry.document, deadlineIn(clock, PERFORM_LIMIT_MS), attempt);
  } catch (error) {
    log.error({ register: entry.register, error: messageOf(error) }, "the register's driver failed");
    return { kind: "in-doubt", doubt: { code: "driver-failed" } };
  }
}

function checkpointOf(state: RegisterState): Checkpoint {
  return {
    driveNumber: state.driveNumber,
    lastDocumentNumber: state.lastDocumentNumber,
    shiftNumber: state.shift.kind === "open" ? state.shift.number : state.shift.lastNumber,
    shiftOpen: state.shift.kind === "open",
    drawerKopecks: state.drawerKopecks,
    deviceTime: state.time,
    ...present({ record: state.record }),
  };
}
