import type { Chance, Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import type { ExchangeStep } from "../model/device/exchange.ts";
import type { TradeDocument } from "../model/document.ts";
import type { LineSums } from "../model/draft/lines.ts";
import type { RegisterIdentity } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";
import type { AddressForm } from "./address-form.ts";
import type { Examined } from "./examination-schema.ts";
import type { Register } from "./register.ts";
import type { Tunnel } from "./tunnel.ts";

/** The part of a protocol that the rest of the program uses. The catalogue lists all protocols. */
export interface RegisterProtocol {
  /** The word before the colon of an address: `emulator`, `shtrih-m+tcp`. */
  schemes: readonly string[];
  /** The form of its addresses, shown when an address is wrong: `emulator:NAME`. */
  form: string;
  /** The fields that a person fills in, for each scheme. */
  forms: readonly AddressForm[];
  /** Checks an address without touching any device. */
  parse(address: string): ParsedAddress;
}

export type ParsedAddress = { kind: "address"; address: RegisterAddress } | { kind: "invalid"; problem: string };

export interface RegisterAddress {
  /** The canonical form of the address, which is also the key of the lane. It never contains passwords. */
  canonical: string;
  /** True when the address leads to an emulator, never to a device. */
  emulated: boolean;
  /** Option `drive=any`: test and live drives may be mixed (interface 6, Test and live). */
  anyDrive: boolean;
  /** True when other addresses may lead to the same device. The device must then be identified by its own numbers. */
  ambiguous?: true;
  /** Another program drives the device and locks it. This server then only compares its own addresses. */
  drivenElsewhere?: boolean;
  /**
   * The values that are needed to open the register besides its place: passwords and options. While this text stays the same, the register
   * need not be opened again. It is only compared and never shown.
   */
  settings: string;
  /**
   * The rule for the sum of a line that the register accepts. The document is computed by this rule before anything is sent.
   */
  lineSums: LineSums;
  /**
   * Returns the reason why the register can never make this document: a command has no field for it, or the drive has no
   * room. Sends nothing to the device. The device may still refuse a document that this function allows.
   */
  limitOf(document: TradeDocument, identity: RegisterIdentity): Refusal | undefined;
  /** Makes the register. Its link is opened at the first use. */
  open(services: RegisterServices): Register;
  /**
   * Examines the register once and closes the link. Sends only commands that change nothing. Safe at any time, except while another process
   * has the register (`held`).
   */
  examine(services: ExaminationServices, deadline: Deadline): Promise<Examined>;
}

export type ExaminationServices = Omit<RegisterServices, "zone" | "exchanged"> & {
  zone: string;
  /** True when the zone was set or read from the register. False when it is a default. */
  zoneKnown: boolean;
};

export interface RegisterServices {
  clock: Clock;
  chance: Chance;
  /** Folder for the memories of emulators. */
  dataDir: string;
  /** IANA zone of the point of sale at this moment. The emulator's clock shows the time of this zone. */
  zone(): string;
  /** Writes a warning, or a line of level trace, to the log. */
  note(level: "trace" | "warn", text: string, values: Record<string, unknown>): void;
  /** Called after each command that was exchanged with the device. It must not throw, and nothing waits for it. */
  exchanged?(step: ExchangeStep): void;
  /**
   * Asked right before each write to the device, in the same turn of the event loop. False: nothing may be sent any more. Absent: no other
   * machine can have the device.
   */
  maySend?(): boolean;
  /** The way to the registers of agents. Absent: this program has none. */
  tunnel?: Tunnel;
  /** True when the log writes lines of level trace. Links describe their bytes only then. */
  tracing?: boolean;
}
