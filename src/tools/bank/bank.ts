import type { RequestListener } from "node:http";
import type { Clock } from "../../kernel/clock.ts";
import type { Log } from "../../kernel/log.ts";
import { answerRequest, CONTROL } from "./door.ts";
import { Agenda } from "./engine/agenda.ts";
import { BankClock } from "./engine/bank-clock.ts";
import type { Face } from "./engine/face.ts";
import { type Fault, Faults } from "./engine/faults.ts";
import { Ledger } from "./engine/ledger.ts";
import { openLedgerFile } from "./engine/ledger-file.ts";
import { Notifier } from "./engine/notifier.ts";
import { Payments } from "./engine/payments.ts";
import { ReceivedCalls } from "./engine/received-calls.ts";
import { Listener } from "./listener.ts";
import { tbankFace } from "./tbank/face.ts";
import { yookassaFace } from "./yookassa/face.ts";

export const BANK_NAMES = ["yookassa", "tbank"] as const;
type BankName = (typeof BANK_NAMES)[number];

const FACES: Readonly<Record<BankName, (seed: number) => Face>> = { yookassa: yookassaFace, tbank: tbankFace };

export interface BankOptions {
  readonly name: BankName;
  readonly port: number;
  /** Undefined: that of the folder, or the default. */
  readonly seed: number | undefined;
  /** Folder of the payments; undefined: memory. */
  readonly data: string | undefined;
  /** Where notifications go when a payment names no address of its own. */
  readonly notifyUrl: string | undefined;
  /** How soon after it sees the code the buyer pays; undefined: when the control line says so. */
  readonly payAfterMs: number | undefined;
  readonly faults: readonly Fault[];
  /** How far the bank's clock runs ahead of the machine's. */
  readonly clockAheadMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

interface OpenBank {
  readonly base: string;
  readonly control: string;
  /** A value for the server's setting `acquirer`. */
  readonly acquirer: string;
  /** Resolves with the reason when the bank can keep nothing any more and has to end. */
  readonly lost: Promise<unknown>;
  close(): Promise<void>;
}

/** Time for running requests at the end: the surface allows two seconds in all. */
const CLOSE_WITHIN_MS = 1_000;

/** A fake bank on a port of this machine. Throws a `Failure` when its folder or its port cannot be had. */
export async function openBank(options: BankOptions): Promise<OpenBank> {
  const { name, clock, log } = options;
  const { file, seed, changes } = openLedgerFile({ folder: options.data, acquirer: name, seed: options.seed });
  const advancedMs = changes.reduce((sum, change) => sum + (change.kind === "advanced" ? change.byMs : 0), 0);
  const bankClock = new BankClock(clock, options.clockAheadMs + advancedMs);
  const face = FACES[name](seed);
  const faults = new Faults(options.faults, seed);
  const ledger = new Ledger(seed, file, changes);
  const lost = Promise.withResolvers<unknown>();
  /** Runs what nobody waits for. A failure ends the bank: what it would say from now on could be forgotten. */
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      lost.resolve(error);
    }
  };
  const closed = new AbortController();
  const received = (paymentId: string, notice: number) => guarded(() => payments.received(paymentId, notice));
  const notifier = new Notifier({ clock, log, announcer: face, received });
  const deliver = notifier.deliver.bind(notifier);
  const payments = new Payments({ ...options, ledger, clock: bankClock, faults, announcer: face, deliver });
  const wake = () => guarded(() => settle(payments, agenda));
  const agenda = new Agenda({ clock: bankClock, ledger, wake });
  const parts = { face, payments, faults, notifier, calls: new ReceivedCalls(), clock, closed: closed.signal };
  const answer: RequestListener = (request, response) => {
    answerRequest({ ...parts, changed: () => agenda.arm() }, request, response).catch((error: unknown) => {
      response.destroy();
      lost.resolve(error);
    });
  };
  const listener = new Listener({ clock, answer });
  const end = () => {
    agenda.close();
    notifier.close();
    ledger.close();
  };
  try {
    const origin = await listener.listen(options.port);
    wake();
    return {
      base: `${origin}${face.root}`,
      control: `${origin}${CONTROL}`,
      acquirer: face.setting,
      lost: lost.promise,
      async close() {
        closed.abort();
        await listener.close(CLOSE_WITHIN_MS);
        end();
      },
    };
  } catch (error) {
    end();
    throw error;
  }
}

function settle(payments: Payments, agenda: Agenda): void {
  payments.settle();
  payments.commit();
  agenda.arm();
}
