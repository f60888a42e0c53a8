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

/** What a protocol offers to the program. The catalogue lists all protocols. */
export interface RegisterProtocol {
  /** The words before an address's colon, for example `emulator` or `shtrih-m+tcp`. */
  schemes: readonly string[];
  /** How addresses of this protocol look, shown with a wrong address: `emulator:NAME`. */
  form: string;
  forms: readonly AddressForm[];
  /** Parses an address without using a device. */
  parse(address: string): ParsedAddress;
}

export type ParsedAddress = { kind: "address"; address: RegisterAddress } | { kind: "invalid"; problem: string };

export interface RegisterAddress {
  /** The canonical address, which is also the lane's key. It never contains passwords. */
  canonical: string;
  /** True: the register is an emulator of this server and never a device. */
  emulated: boolean;
  /** Option `drive=any`: test and live drives may be mixed (interface 6, Test and live). */
  anyDrive: boolean;
  /** True: other addresses may lead to the same device, so `DeviceClaims` compares the devices' own numbers. */
  ambiguous?: true;
  /** Another program drives the device and locks it on its own machine. So this server does not lock the device on this machine. */
  drivenElsewhere?: boolean;
  /**
   * Passwords and options of the register. When this text changes, the register must be opened again. The text is only compared, never
   * shown.
   */
  settings: string;
  /** How the register checks a line's sum. The document is computed by this rule before anything is sent. */
  lineSums: LineSums;
  /**
   * Returns why the register can never make this document: for example, a value fits no command, or the document is too long for a drive.
   * Undefined: no such reason is known, but the device may still refuse the document. Uses no device.
   */
  limitOf(document: TradeDocument, identity: RegisterIdentity): Refusal | undefined;
  /** Makes the register. Its first use opens the link. */
  open(services: RegisterServices): Register;
  /**
   * Examines the register once and closes the link. Sends only commands that change nothing. Returns `held` when another process uses the
   * register.
   */
  examine(services: ExaminationServices, deadline: Deadline): Promise<Examined>;
}

export type ExaminationServices = Omit<RegisterServices, "zone" | "exchanged"> & {
  zone: string;
  /** True: the zone was stated, or set for the register's point of sale. False: the zone is a default. */
  zoneKnown: boolean;
};

export interface RegisterServices {
  clock: Clock;
  chance: Chance;
  /** The data folder. The emulators' memories are in its folder `registers`. */
  dataDir: string;
  /** The current IANA zone of the point of sale. An emulator's clock shows this zone's time. */
  zone(): string;
  note(level: "trace" | "warn", text: string, values: Record<string, unknown>): void;
  /** Called after each exchanged command. It must not throw. Nothing waits for it. */
  exchanged?(step: ExchangeStep): void;
  /**
   * Called right before each write to the device, in the same turn of the event loop. False: nothing may be sent. Absent: no other machine
   * can use the device.
   */
  maySend?(): boolean;
  /** The way to the registers of agents. Absent: this program cannot reach agents. */
  tunnel?: Tunnel;
  /** True: trace lines are logged. Only then do links describe their bytes. */
  tracing?: boolean;
}
