import { type Clock, pause } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { instantOf, type WallTime } from "../../../kernel/moment.ts";
import type { Link } from "../../links/link.ts";
import type { StoredDocument, VirtualDevice } from "../../virtual/device.ts";
import { encodeUnknown } from "../commands/commands.ts";
import { carryOut } from "./carry/carry-out.ts";
import { REBOOT } from "./carry/status.ts";
import { type Answered, Conversation, type Host, type Reception } from "./line/conversation.ts";
import { Detection, firstWords, type LowLevelName } from "./line/detection.ts";
import { NumberedConversation } from "./line/numbered-conversation.ts";
import { Numbering } from "./line/numbering.ts";
import { type DeviceState, stateOf } from "./machine/device-state.ts";
import { ERROR } from "./machine/errors.ts";
import { type Fault, FaultPlan, type Strike, stopsHalfPrinted } from "./machine/faults.ts";
import { answeredValue, losePower, type Machine, type MachineParts, machineOf } from "./machine/machine.ts";

export interface FrontParts extends Omit<MachineParts, "paper"> {
  paper?(lines: readonly string[]): void;
  faults?: readonly Fault[];
  /** Returns a random integer from 0, below the limit. */
  chance?(limit: number): number;
  /** The low-level protocol. `auto`: the first known byte after power-on decides. */
  protocol?: LowLevelName | "auto";
  onPower?(on: boolean): void;
  /** Called with a message for the device's user, for example that a storage has failed. */
  note?(text: string): void;
}

/**
 * A Shtrih-M register at the byte level: the virtual device, the device's side of the protocol, and any number of connections. Commands run
 * one at a time. Each answer goes to the host that sent the command. This class also carries out the planned faults.
 */
export class ShtrihFront implements Host {
  readonly clock: Clock;
  readonly #parts: FrontParts;
  readonly #device: VirtualDevice;
  readonly #machine: Machine;
  readonly #plan: FaultPlan;
  readonly #detection: Detection;
  readonly #numbering = new Numbering(this);
  readonly #open = new Set<Link>();
  /** Protocol 1.0: the conversation with the only host, kept after a lost connection. Its answer waits until the host reconnects. */
  #left: Conversation | undefined;
  #power = true;
  /** Counts power cuts. A command that began before a power cut gets no answer. */
  #epoch = 0;
  #broken = false;
  #deafUntilMs = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #cancelPowerOn: (() => void) | undefined;
  readonly #closing = new AbortController();

  constructor(parts: FrontParts) {
    this.clock = parts.clock;
    this.#parts = parts;
    this.#device = parts.device;
    this.#machine = machineOf({ ...parts, paper: (lines) => parts.paper?.(lines) });
    this.#plan = new FaultPlan(parts.faults);
    this.#detection = new Detection(parts.protocol ?? "auto");
  }

  get deaf(): boolean {
    return !this.#power || this.clock.monotonicMs() < this.#deafUntilMs;
  }

  chance(limit: number): number {
    return this.#parts.chance?.(limit) ?? 0;
  }

  /** Serves the host on this link until the link is lost. Without power the link is closed immediately. */
  async serve(link: Link): Promise<void> {
    if (!this.#power) {
      await link.close();
      return;
    }
    this.#open.add(link);
    const first = await firstWords(link, { clock: this.clock, deaf: () => this.deaf }, this.#detection);
    if (first !== undefined) await this.#converse(link, first);
    this.#open.delete(link);
  }

  async #converse(link: Link, first: Buffer): Promise<void> {
    if (this.#detection.spoken === "2.0") {
      await new NumberedConversation(this, this.#numbering).serve(link, first);
      return;
    }
    const conversation = (this.#isAlone ? this.#left : undefined) ?? new Conversation(this);
    this.#left = undefined;
    await conversation.serve(link, first);
    // With one host, the conversation belongs to the device and not to the connection (shtrih-protocol 3.1). So it is kept for the next
    // connection.
    if (this.#power && this.#isAlone && conversation.isOwing) this.#left = conversation;
  }

  get #isAlone(): boolean {
    return this.#open.size === 1;
  }

  receive(data: Buffer): Reception {
    const strike = this.#plan.strike(data);
    if (strike["lose-request"] !== undefined) return { kind: "lost" };
    if (strike.nak !== undefined) return { kind: "refused" };
    const epoch = this.#epoch;
    const answer = this.#turn.then(() => this.#carryOut(data, strike, epoch));
    // The promise resolves even after a `Failure`, so the next command starts.
    this.#turn = answer;
    return { kind: "taken", glued: strike.glue !== undefined, answer };
  }

  addFault(fault: Fault): void {
    this.#plan.add(fault);
  }

  setPaper(present: boolean): void {
    this.#machine.printer.setPaper(present);
  }

  /**
   * Sets the clock in any state of shift and drive, because a real clock can jump in any state when its battery is empty. On return the
   * change is stored.
   */
  async setClock(wall: WallTime): Promise<void> {
    await this.#jump(instantOf(wall, this.#machine.zone) - this.clock.nowMs());
  }

  /** Switches the power. False: the storage failed, so the device cannot be switched on. */
  setPower(on: boolean): boolean {
    if (!on) this.#cutPower();
    else if (this.#broken) return false;
    else this.#powerOn();
    return true;
  }

  state(): DeviceState {
    return stateOf(this.#machine, { power: this.#power, faults: this.#plan.pending, connections: this.#open.size });
  }

  /** Returns all documents of the drive, oldest first. Throws a Failure when the virtual device does not answer. */
  async documents(): Promise<StoredDocument[]> {
    const found: StoredDocument[] = [];
    for (let number = 1; number <= this.#device.look().memory.lastDocumentNumber; number += 1) {
      const stored = answeredValue(await this.#device.stored(number));
      if (stored !== undefined) found.push(stored);
    }
    return found;
  }

  /** Ends every connection, waits for the running command, and closes the storages. */
  async close(): Promise<void> {
    this.#cancelPowerOn?.();
    this.#closing.abort();
    this.#power = false;
    await Promise.all([...this.#open].map((link) => link.close()));
    await this.#turn;
    await this.#device.close();
    await this.#machine.memory.close();
  }

  async #carryOut(data: Buffer, strike: Strike, epoch: number): Promise<Answered> {
    if (epoch !== this.#epoch) return undefined;
    try {
      const answer = await this.#struck(data, strike);
      return epoch === this.#epoch ? answer : undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#parts.note?.(error.message);
      if (error.code !== "device-silent" || this.#device.failed) this.#break();
      // A planned fault made the virtual device silent, like a power cut. So the register also loses what it has not stored.
      else this.#loseMemory();
      return undefined;
    }
  }

  /** Stops the device. A failed storage must be reopened, because its content is unknown. */
  #break(): void {
    this.#broken = true;
    this.#cutPower();
  }

  async #struck(data: Buffer, strike: Strike): Promise<Answered> {
    if (strike["power-cut-before"] !== undefined) return this.#cutPower(strike["power-cut-before"].value);
    await this.#prepare(strike);
    if (data[0] === SERVICE && data[1] === REBOOT) return this.#cutPower(0);
    const answer = await this.#execute(data, strike);
    if (strike["paper-out"] !== undefined) this.#machine.printer.runOut(stopsHalfPrinted(data, answer));
    if (strike["power-cut-after"] !== undefined) return this.#cutPower(strike["power-cut-after"].value);
    await this.#beSilent(strike.silent?.value ?? 0);
    return {
      data: answer,
      manner: {
        lost: strike["lose-answer"] !== undefined,
        garbled: strike["garble-answer"] !== undefined,
        byteByByte: strike["byte-by-byte"] !== undefined,
        noise: strike.noise !== undefined,
      },
    };
  }

  async #prepare(strike: Strike): Promise<void> {
    // Reading the state collects the data operator's confirmations since the last command.
    answeredValue(await this.#device.state());
    if (strike.busy !== undefined) this.#machine.printer.print(strike.busy.value ?? 0);
    if (strike["clock-jump"] !== undefined) await this.#jump((this.#machine.memory.clockOffsetMs ?? 0) + (strike["clock-jump"].value ?? 0));
    if (strike["shift-expired"] !== undefined) {
      const { open, number } = this.#device.look().memory.shift;
      if (open) this.#device.setFaults({ shiftExpired: (expired) => expired || this.#device.look().memory.shift.number === number });
    }
  }

  /** The planned fault `drive-full` affects only commands that need room in the drive. */
  async #execute(data: Buffer, strike: Strike): Promise<Buffer> {
    if (strike["drive-full"] === undefined) return this.#answer(data);
    this.#device.setFaults({ memoryUsed: () => 1 });
    try {
      return await this.#answer(data);
    } finally {
      this.#device.setFaults({ memoryUsed: (share) => share });
    }
  }

  /** Returns the answer. An internal error of this program is answered with 39h, as from faulty firmware, and reported to `note`. */
  async #answer(data: Buffer): Promise<Buffer> {
    try {
      return await carryOut(this.#machine, data);
    } catch (error) {
      if (error instanceof Failure) throw error;
      this.#parts.note?.(`${data.toString("hex")}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return encodeUnknown(data, ERROR.internal);
    }
  }

  async #beSilent(forMs: number): Promise<void> {
    if (forMs === 0) return;
    this.#deafUntilMs = this.clock.monotonicMs() + forMs;
    await pause(this.clock, forMs, this.#closing.signal);
  }

  async #jump(offsetMs: number): Promise<void> {
    await this.#machine.memory.keep({ kind: "clock", offsetMs });
  }

  /** Cuts the power: connections, the open receipt and unacknowledged answers are lost. If `forMs` is given, the power then returns. */
  #cutPower(forMs?: number): undefined {
    this.#cancelPowerOn?.();
    this.#power = false;
    this.#epoch += 1;
    this.#detection.forget();
    this.#loseMemory();
    for (const link of this.#open) void link.close();
    this.#parts.onPower?.(false);
    if (forMs !== undefined) this.#cancelPowerOn = this.clock.after(forMs, () => this.#powerOn());
    return undefined;
  }

  #loseMemory(): void {
    this.#left = undefined;
    this.#numbering.forget();
    losePower(this.#machine);
  }

  #powerOn(): void {
    this.#cancelPowerOn?.();
    if (this.#power) return;
    this.#power = true;
    this.#deafUntilMs = 0;
    this.#parts.onPower?.(true);
  }
}

/** The command FEh. */
const SERVICE = 0xfe;
