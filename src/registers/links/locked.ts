import type { Clock } from "../../kernel/clock.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import type { FolderLock } from "../folder-lock.ts";
import { lockName } from "../name-lock.ts";
import type { Link } from "./link.ts";

interface LockOptions {
  clock: Clock;
  /** The locked name: the register's canonical address, or the device's own numbers. */
  name: string;
  note(level: "trace" | "warn", text: string, values: Record<string, unknown>): void;
  /** Called when another process holds the lock. */
  taken?(holder: string): void;
  /**
   * True: a lease decides who may use the device. The lock then only keeps examinations on this machine away from the device. If another
   * process holds the lock, this process uses the device anyway, because the other process may be paused and have lost its lease.
   */
  byLease?: boolean;
}

/**
 * Returns a link that locks `name` before it opens. It does not open while another process of this machine holds the lock, unless `byLease`
 * is set: two programs at one register would get each other's answers (interface 6, One server a folder). It opens without a lock when the
 * machine cannot lock. The lock ends with `close`, or with its process.
 */
export function locked(link: Link, { clock, name, note, taken, byLease = false }: LockOptions): Link {
  let lock: FolderLock | undefined;
  let without = false;

  async function take(): Promise<string | undefined> {
    if (lock !== undefined || without) return undefined;
    const got = await takeLock({ clock, name, note, ...present({ taken }) }, { link: link.name });
    if (got.kind === "taken" && !byLease) return got.reason;
    if (got.kind === "held") lock = got.lock;
    else without = got.kind === "without";
    return undefined;
  }

  return {
    name: link.name,
    get isOpen() {
      return link.isOpen;
    },
    async open(deadline) {
      const holder = await take();
      return holder === undefined ? link.open(deadline) : { kind: "shut", reason: holder };
    },
    write: (bytes, deadline) => link.write(bytes, deadline),
    drain: (deadline) => link.drain(deadline),
    read: (deadline) => link.read(deadline),
    async close() {
      await link.close();
      await lock?.release();
      lock = undefined;
    },
  };
}

type Taken =
  | { kind: "held"; lock: FolderLock }
  /** Another process holds the lock. `reason`: for the cashier. */
  | { kind: "taken"; reason: string }
  /** The machine could not lock the name. The device is used without a lock. */
  | { kind: "without" };

/** Locks the name on this machine. Never throws. `values`: logged with the warning when the lock is not got. */
export async function takeLock({ clock, name, note, taken }: LockOptions, values: Record<string, unknown>): Promise<Taken> {
  try {
    return { kind: "held", lock: await lockName(name, clock) };
  } catch (error) {
    if (error instanceof Failure && error.code === "register-locked") {
      note("warn", "another process has the register", { ...values, reason: error.message });
      taken?.(holderIn(error.message));
      return { kind: "taken", reason: "кассой управляет другая программа" };
    }
    note("warn", "the register is used without a lock", { ...values, reason: messageOf(error) });
    return { kind: "without" };
  }
}

/** Returns the holder in a lock error such as `… is in use by process 4711 on till-1 since …`. */
function holderIn(message: string): string {
  const [, holder = "another process"] = message.split(" is in use by ");
  return holder;
}
