import type { Deadline } from "../kernel/deadline.ts";
import type { RegisterDocument } from "../model/document.ts";

/** A call to an agent. The tunnel adds the call's number, its fencing token (`fence`) and its time budget. */
export type TunnelCall =
  | { do: "identity" | "inspect" | "abandon"; register: string }
  | { do: "perform"; register: string; attempt: string; hash: string; needs: string[]; document: RegisterDocument }
  | { do: "recall"; register: string; attempt: string }
  | { do: "lookUp"; register: string; number: number }
  | { do: "examine"; register: string; zone: string; zoneKnown: boolean }
  | { do: "settled"; register: string; attempts: string[] }
  | { do: "log"; lines: number };

/** The end of a call. `result` comes unchecked from the agent, so a schema must read it. `failed`: the call was not carried out. */
export type Answered =
  | { kind: "result"; result: unknown }
  | { kind: "failed"; code: string; reason: string }
  /**
   * No answer came: the connection ended, or the deadline passed. The agent may have carried out the call. `reason`: for a cashier.
   */
  | { kind: "lost"; reason: string };

export interface PendingCall {
  /**
   * Only for `perform`: whether the agent has stored the attempt. False: an answer came instead, the connection ended, or the time is over.
   */
  readonly accepted: Promise<boolean>;
  readonly answered: Promise<Answered>;
  /** Allows the agent to send the registering command. False: the call or the connection has ended, and the permission was not sent. */
  go(): boolean;
}

export interface TunnelConnection {
  /** Grows with each connection of the agent. */
  readonly epoch: number;
  /** The id of the agent's data folder, which contains its record of attempts. */
  readonly folder: string;
  call(call: TunnelCall, deadline: Deadline): PendingCall;
  /** Closes the connection after an invalid answer (4400). */
  malformed(reason: string): void;
}

export type Reach = { kind: "connected"; connection: TunnelConnection } | { kind: "away"; reason: string };

export interface Tunnel {
  /** Returns the agent's connection, or why there is none (`reason`, for a cashier). */
  reach(agent: string): Reach;
  /**
   * Returns the agent's connection if its epoch is higher than `epoch`. Otherwise waits for such a connection until the deadline, then
   * returns `away`.
   */
  again(agent: string, epoch: number, deadline: Deadline): Promise<Reach>;
  /**
   * Compares a device with the pinned device of the register. A register without a pinned device gets this device pinned. Returns why the
   * device may not be used, for a cashier. Undefined: it may be used.
   */
  admit(agent: string, register: string, device: { serialNumber: string; driveNumber: string }): Promise<string | undefined>;
}
