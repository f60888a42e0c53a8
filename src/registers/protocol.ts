import type { Chance, Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import type { TradeDocument } from "../model/document.ts";
import type { LineSums } from "../model/draft/lines.ts";
import type { RegisterIdentity } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Examined } from "./examination-schema.ts";
import type { Register } from "./register.ts";

/** One line of the catalogue: a protocol folder's door. */
export interface RegisterProtocol {
  /** Word before the colon of an address: `emulator`, `shtrih-m+tcp`. */
  schemes: readonly string[];
  /** How its addresses are written, for whoever wrote one wrongly: `emulator:NAME`. */
  form: string;
  /** Checks an address without touching any device. */
  parse(address: string): ParsedAddress;
}

export type ParsedAddress = { kind: "address"; address: RegisterAddress } | { kind: "invalid"; problem: string };

export interface RegisterAddress {
  /** The address in its one canonical spelling: the key of the lane. Passwords are never in it. */
  canonical: string;
  /** Whether it leads to an emulator and never to a device. */
  emulated: boolean;
  /** Option `drive=any`: test and live drives may be mixed (interface 6, Test and live). */
  anyDrive: boolean;
  /** Whether other addresses may lead to the same device, which then has to be known by its own numbers. */
  ambiguous?: true;
  /**
   * What it is opened with beside its place, passwords and options: the same text, and it need not be opened anew. Compared,
   * and never shown.
   */
  settings: string;
  /** What it takes as the sum of a line: the document is computed for it before it is asked anything. */
  lineSums: LineSums;
  /**
   * Why it makes no such document, however it stands: what its commands have no field for, and its drive no room.
   * Asks nothing of the device; what this allows the device may still refuse.
   */
  limitOf(document: TradeDocument, identity: RegisterIdentity): Refusal | undefined;
  /** Makes the register; the link is opened on first use. */
  open(services: RegisterServices): Register;
  /**
   * Looks at the register from all sides, once, and gives the link back. Sends only what changes nothing:
   * safe at any moment, but for one at which another process has the register (`held`).
   */
  examine(services: ExaminationServices, deadline: Deadline): Promise<Examined>;
}

export type ExaminationServices = Omit<RegisterServices, "zone"> & {
  zone: string;
  /** Whether the zone is the register's for certain, and no default. */
  zoneKnown: boolean;
};

export interface RegisterServices {
  clock: Clock;
  chance: Chance;
  /** Folder for the memories of emulators. */
  dataDir: string;
  /** IANA zone of the point of sale, as it is now: the emulator's own clock shows its time. */
  zone(): string;
  /** How a warning or discarded bytes reach the log. */
  note(level: "trace" | "warn", text: string, values: Record<string, unknown>): void;
  /** Whether somebody reads the lines of level trace, so that the bytes of links are worth describing. */
  tracing?: boolean;
}
