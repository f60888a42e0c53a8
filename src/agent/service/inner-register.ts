import type { Chance, Clock } from "../../kernel/clock.ts";
import { type Deadline, deadlineIn, earlier } from "../../kernel/deadline.ts";
import { isTrade, type RegisterDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import type { Refusal } from "../../model/refusal.ts";
import { unreachable } from "../../model/unreachable.ts";
import type { Examined } from "../../registers/examination-schema.ts";
import type { RegisterAddress, RegisterProtocol } from "../../registers/protocol.ts";
import { Rack } from "../../registers/rack.ts";
import type { Attempt, LookUp, Outcome, Reached, Register, RegisterState } from "../../registers/register.ts";

export interface NamedRegister {
  name: string;
  address: RegisterAddress;
  /** The address as a person has written it, with its passwords and options. */
  written: string;
}

export interface InnerServices {
  clock: Clock;
  chance: Chance;
  dataDir: string;
  timeZone: string;
  protocols: readonly RegisterProtocol[];
  note(level: "trace" | "warn", text: string, values: Record<string, unknown>): void;
  tracing: boolean;
}

/** The limit for reading the identity before the agent sends `accepted`. The server waits 5 s for `accepted`. */
const IDENTITY_LIMIT_MS = 3_000;
/** The limit for a background reading of the state. It is short, because a call waits until a running reading ends. */
const GLANCE_LIMIT_MS = 3_000;

const OTHER_DRIVE = "После проверки в кассе сменился фискальный накопитель";

/**
 * A register at an address of this machine. The first use opens the register and locks it against other programs. `RegisterService` makes
 * one call at a time.
 */
export class InnerRegister {
  readonly #named: NamedRegister;
  readonly #services: InnerServices;
  #rack: Rack;
  #identity: RegisterIdentity | undefined;
  /**
   * `#inspectedDrive`: the drive in the server's last inspection. `#seenDrive`: the drive in the last inspection by the server or the
   * agent. Undefined: there was no inspection yet. `examine` also makes `#seenDrive` undefined.
   */
  #inspectedDrive: string | undefined;
  #seenDrive: string | undefined;

  constructor(named: NamedRegister, services: InnerServices) {
    this.#named = named;
    this.#services = services;
    this.#rack = new Rack(services, services.protocols);
  }

  get identityKnown(): RegisterIdentity | undefined {
    return this.#identity;
  }

  async identity(deadline: Deadline): Promise<Reached<RegisterIdentity>> {
    const reply = await this.#register().identity(deadline);
    if (reply.kind === "reached") this.#identity = reply.value;
    return reply;
  }

  async inspect(deadline: Deadline): Promise<Reached<RegisterState>> {
    const reply = await this.#look(deadline);
    if (reply.kind === "reached") this.#inspectedDrive = reply.value.driveNumber;
    return reply;
  }

  /** Inspects the register for the agent. This does not count as an inspection by the server. */
  async glance(): Promise<Reached<RegisterState>> {
    const deadline = deadlineIn(this.#services.clock, GLANCE_LIMIT_MS);
    const known = await this.identity(deadline);
    return known.kind === "unreachable" ? known : this.#look(deadline);
  }

  /** Returns why the register cannot make the document. Undefined: no reason is known. Sends nothing that begins a document. */
  async refusalOf(document: RegisterDocument, deadline: Deadline): Promise<Refusal | undefined> {
    // The driver refuses a drive that differs from the drive in the last inspection. That inspection may have been a `glance`. So the drive
    // in the last inspection is compared here with the drive in the server's last inspection.
    if (this.#seenDrive !== this.#inspectedDrive && this.#inspectedDrive !== undefined) return unreachable(OTHER_DRIVE);
    if (!isTrade(document)) return undefined;
    if (this.#identity === undefined) {
      const reply = await this.identity(earlier(deadline, deadlineIn(this.#services.clock, IDENTITY_LIMIT_MS)));
      if (reply.kind === "unreachable") return unreachable(reply.reason);
      return this.#named.address.limitOf(document, reply.value);
    }
    return this.#named.address.limitOf(document, this.#identity);
  }

  perform(document: RegisterDocument, deadline: Deadline, attempt: Attempt): Promise<Outcome> {
    return this.#register().perform(document, deadline, attempt);
  }

  lookUp(documentNumber: number, deadline: Deadline): Promise<LookUp> {
    return this.#register().lookUp(documentNumber, deadline);
  }

  abandon(deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">> {
    return this.#register().abandon(deadline);
  }

  /** Examines the register. The examination opens its own link, so the register is closed first. */
  async examine({ zone, zoneKnown }: { zone: string; zoneKnown: boolean }, deadline: Deadline): Promise<Examined> {
    const { clock, chance, dataDir, note, tracing, protocols } = this.#services;
    await this.#rack.close();
    try {
      return await this.#named.address.examine({ clock, chance, dataDir, note, tracing, zone, zoneKnown }, deadline);
    } finally {
      this.#rack = new Rack(this.#services, protocols);
      // The new rack knows no inspection, so its driver would not notice a replaced drive. Until the next inspection `refusalOf` refuses
      // each document.
      if (this.#inspectedDrive !== undefined) this.#seenDrive = undefined;
    }
  }

  close(): Promise<void> {
    return this.#rack.close();
  }

  async #look(deadline: Deadline): Promise<Reached<RegisterState>> {
    const reply = await this.#register().inspect(deadline);
    if (reply.kind === "reached") this.#seenDrive = reply.value.driveNumber;
    return reply;
  }

  #register(): Register {
    return this.#rack.at(this.#named.written, this.#services.timeZone, false);
  }
}
