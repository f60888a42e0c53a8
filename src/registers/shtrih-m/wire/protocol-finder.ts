import type { Deadline } from "../../../kernel/deadline.ts";
import type { Exchanged, ExchangeRequest, Exchanger } from "./exchange.ts";
import { ENQUIRED, NUMBERED } from "./low-levels.ts";
import { Runner, type RunnerOptions } from "./runner.ts";

export type LowLevelName = "1.0" | "2.0";

/** Sends commands in the given or detected protocol. */
export interface SpeakingExchanger extends Exchanger {
  /** The device's protocol. Undefined: the device has not answered yet, or has become silent. */
  readonly protocol: LowLevelName | undefined;
}

export function exchangerFor(protocol: LowLevelName | "auto", options: RunnerOptions): SpeakingExchanger {
  const speakers = { "1.0": new Runner(ENQUIRED, options), "2.0": new Runner(NUMBERED, options) };
  if (protocol === "auto") return new ProtocolFinder(speakers);
  const speaker = speakers[protocol];
  return {
    protocol,
    exchange: (request, deadline) => speaker.exchange(request, deadline),
    close: () => speaker.close(),
  };
}

/**
 * How long a device may take to answer a question of protocol 2.0, ms. Then 1.0 is tried. An idle device answers in a few ms. For a 1.0
 * device each detection takes this time. A detection follows each start of the process and each silence of the device.
 */
const QUESTION_MS = 1_000;
/** How often both protocols are tried in turn. A device that is printing may not react for some seconds. */
const ROUNDS = 3;

/**
 * Detects a device's protocol with the first command. First it sends a question of 2.0, which a 1.0 device ignores (shtrih-protocol 1.5,
 * 2.3), then ENQ. The protocol that got an answer is used while the device answers.
 */
class ProtocolFinder implements SpeakingExchanger {
  readonly #speakers: Readonly<Record<LowLevelName, Exchanger>>;
  #found: LowLevelName | undefined;

  constructor(speakers: Readonly<Record<LowLevelName, Exchanger>>) {
    this.#speakers = speakers;
  }

  get protocol(): LowLevelName | undefined {
    return this.#found;
  }

  async exchange(request: ExchangeRequest, deadline: Deadline): Promise<Exchanged> {
    if (this.#found === undefined) return this.#search(request, deadline);
    const exchanged = await this.#speakers[this.#found].exchange(request, deadline);
    // Only silence may mean that the device uses another protocol. A lost link says nothing about the protocol.
    if (isSilent(exchanged)) this.#found = undefined;
    return exchanged;
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#speakers).map((speaker) => speaker.close()));
  }

  /** Tries each protocol in turn. A protocol sends the command only after the device has answered a question. */
  async #search(request: ExchangeRequest, deadline: Deadline): Promise<Exchanged> {
    const stale: Buffer[] = [];
    for (let round = 1; ; round += 1) {
      for (const protocol of ["2.0", "1.0"] as const) {
        const reactionMs = protocol === "2.0" ? QUESTION_MS : 1;
        const exchanged = await this.#speakers[protocol].exchange({ ...request, reactionMs }, deadline);
        stale.push(...exchanged.stale);
        if (exchanged.kind !== "undelivered" || exchanged.bytesLeft) this.#found = protocol;
        const tried = round >= ROUNDS && protocol === "1.0";
        if (tried || !isSilent(exchanged)) return { ...exchanged, stale };
      }
    }
  }
}

function isSilent(exchanged: Exchanged): boolean {
  return exchanged.kind === "undelivered" && exchanged.silent === true;
}
