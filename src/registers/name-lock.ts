import { hostname } from "node:os";
import type { Clock } from "../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { registerFailure } from "./failures.ts";
import type { FolderLock } from "./folder-lock.ts";
import { listenAlone, lockSocketName, saidBy, stopListening } from "./lock-socket.ts";

/** How long a holder may take to say who it is. A holder that is busy is a holder all the same. */
const SAY_LIMIT_MS = 1_000;
/** What a holder says of itself. Anything else is not shown to people. */
const HOLDER = /^process \d{1,10} on [\w.-]{1,255} since [\d:.TZ-]{1,30}$/;

/**
 * Locks a name on this machine for this process. Throws the Failure `register-locked`, with the holder's name, when this or
 * another process already has the lock. The lock is a listening socket that answers with its holder's name. It needs no
 * folder: a folder in the directory for temporary files would belong to the first user, and processes of other users could
 * not lock anything in it.
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
