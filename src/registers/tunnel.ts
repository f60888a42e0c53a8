import type { Deadline } from "../kernel/deadline.ts";
import type { RegisterDocument } from "../model/document.ts";

/** What is asked of an agent: a call of the wire without its number, its fence and its time, which the tunnel adds. */
export type TunnelCall =
  | { do: "identity" | "inspect" | "abandon"; register: string }
  | { do: "perform"; register: string; attempt: string; hash: string; needs: string[]; document: RegisterDocument }
  | { do: "recall"; register: string; attempt: string }
  | { do: "lookUp"; register: string; number: number }
  | { do: "examine"; register: string; zone: string; zoneKnown: boolean }
  | { do: "settled"; register: string; attempts: string[] }
  | { do: "log"; lines: number };

/** The answer to a call. The result is as the agent sent it and must be read by a schema. */
export type Answered =
  | { kind: "result"; result: unknown }
  | { kind: "failed"; code: string; reason: string }
  /** The connection ended, or its silence limit or the deadline passed. The agent may have carried the call out. `reason`: for a cashier. */
  | { kind: "lost"; reason: string };

/** A call under way. */
export interface PendingCall {
  /** Only for `perform`: whether the agent has stored the attempt. False: the answer came, the connection ended, or the time is over. */
  readonly accepted: Promise<boolean>;
  readonly answered: Promise<Answered>;
  /** Lets the agent send the registering command. False: the connection has ended, and nothing was sent. */
  go(): boolean;
}

/** One connection of an agent, from its `ready` to its end. */
export interface TunnelConnection {
  /** Grows with each connection of the agent. */
  readonly epoch: number;
  /** The id of the agent's data folder, in which its record of attempts is kept. */
  readonly folder: string;
  call(call: TunnelCall, deadline: Deadline): PendingCall;
  /** Closes a connection whose agent answers nonsense (4400). */
  malformed(reason: string): void;
}

export type Reach = { kind: "connected"; connection: TunnelConnection } | { kind: "away"; reason: string };

/** The way to the registers behind agents. */
export interface Tunnel {
  /** Returns the connection of an agent. `reason` names the agent and since when it is away, for a cashier. */
  reach(agent: string): Reach;
  /** Waits for a connection that is newer than `epoch`, until the deadline. */
  again(agent: string, epoch: number, deadline: Deadline): Promise<Reach>;
  /**
   * Compares a device with the device that is pinned to this register of the agent. The first device that is seen is pinned. Returns why the
   * device may not be used, for a cashier. Undefined: it may be used.
   */
  admit(agent: string, register: string, device: { serialNumber: string; driveNumber: string }): Promise<string | undefined>;
}
