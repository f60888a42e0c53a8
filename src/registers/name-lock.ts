import { hostname } from "node:os";
import type { Clock } from "../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { registerFailure } from "./failures.ts";
import type { FolderLock } from "./folder-lock.ts";
import { listenAlone, lockSocketName, saidBy, stopListening } from "./lock-socket.ts";

/** How long a holder may take to send its name. A holder that does not answer still holds the lock. */
const SAY_LIMIT_MS = 1_000;
/** The expected description of a holder. Any other text is not shown. */
const HOLDER = /^process \d{1,10} on [\w.-]{1,255} since [\d:.TZ-]{1,30}$/;

/**
 * Locks a name on this machine for this process. Throws the Failure `register-locked`, with the holder's name if known, when any process
 * holds the lock, also this process. The lock is a listening socket that sends its holder's name. It is not a folder: a folder in the
 * temporary directory would belong to the user who made it, and other users could not lock anything in it.
 */
export async function lockName(name: string, clock: Clock): Promise<FolderLock> {
  const socket = lockSocketName(`name ${name}`);
  const server = await listenAlone(socket, `process ${process.pid} on ${hostname()} since ${new Date(clock.nowMs()).toISOString()}`);
  if (server === undefined) throw registerFailure("register-locked", "dependency", `${name} is in use by ${await holderAt(socket, clock)}`);
  return { release: () => stopListening(server) };
}

async function holderAt(socket: string, clock: Clock): Promise<string> {
  const enough = new AbortController();
  const said = await waitUntil(clock, deadlineIn(clock, SAY_LIMIT_MS), saidBy(socket, enough.signal));
  enough.abort();
  const holder = said.kind === "finished" ? (said.value ?? "") : "";
  return HOLDER.test(holder) ? holder : "another process";
}
