import type { RequestListener } from "node:http";
import type { Clock } from "../../kernel/clock.ts";
import type { Log } from "../../kernel/log.ts";
import { answerRequest, CONTROL } from "./answer-request.ts";
import { Agenda } from "./engine/agenda.ts";
import type { BankApi } from "./engine/bank-api.ts";
import { BankClock } from "./engine/bank-clock.ts";
import { type Fault, Faults } from "./engine/faults.ts";
import { Ledger } from "./engine/ledger.ts";
import { openLedgerFile } from "./engine/ledger-file.ts";
import { Notifier } from "./engine/notifier.ts";
import { Payments } from "./engine/payments.ts";
import { ReceivedCalls } from "./engine/received-calls.ts";
import { Listener } from "./listener.ts";
import { tbankApi } from "./tbank/api.ts";
import { yookassaApi } from "./yookassa/api.ts";

export const BANK_NAMES = ["yookassa", "tbank"] as const;
type BankName = (typeof BANK_NAMES)[number];

const BANK_APIS: Readonly<Record<BankName, (seed: number) => BankApi>> = { yookassa: yookassaApi, tbank: tbankApi };

export interface BankOptions {
  readonly name: BankName;
  readonly port: number;
  /** Undefined: the bank takes the seed stored in the folder, or the default seed if no seed is stored. */
  readonly seed: number | undefined;
  /** The folder for payments. Undefined: payments stay in memory. */
  readonly data: string | undefined;
  /** Receives the notifications of payments that name no address. */
  readonly notifyUrl: string | undefined;
  /** The time from the first display of the code to the buyer's payment. Undefined: only the control line pays. */
  readonly payAfterMs: number | undefined;
  readonly faults: readonly Fault[];
  readonly clockAheadMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

interface OpenBank {
  readonly base: string;
  readonly control: string;
  readonly acquirer: string;
  /** Resolves with the error that ends the bank: changes cannot be stored, or a request failed unexpectedly. */
  readonly lost: Promise<unknown>;
  close(): Promise<void>;
}

/** The time that `close` gives to running requests. The bank must end within two seconds, like the sandbox (sandbox-surface). */
const CLOSE_WITHIN_MS = 1_000;

/** Opens a fake bank on a port of this machine. Throws a `Failure` when its folder or its port is unusable. */
export async function openBank(options: BankOptions): Promise<OpenBank> {
  const { name, clock, log } = options;
  const { file, seed, changes } = openLedgerFile({ folder: options.data, acquirer: name, seed: options.seed });
  const advancedMs = changes.reduce((sum, change) => sum + (change.kind === "advanced" ? change.byMs : 0), 0);
  const bankClock = new BankClock(clock, options.clockAheadMs + advancedMs);
  const bankApi = BANK_APIS[name](seed);
  const faults = new Faults(options.faults, seed);
  const ledger = new Ledger(seed, file, changes);
  const lost = Promise.withResolvers<unknown>();
  /** Runs work that no request waits for. An error ends the bank, because a later answer could reveal unstored changes. */
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      lost.resolve(error);
    }
  };
  const closed = new AbortController();
  const received = (paymentId: string, notice: number) => guarded(() => payments.received(paymentId, notice));
  const notifier = new Notifier({ clock, log, announcer: bankApi, received });
  const deliver = notifier.deliver.bind(notifier);
  const payments = new Payments({ ...options, ledger, clock: bankClock, faults, announcer: bankApi, deliver });
  const wake = () => guarded(() => settle(payments, agenda));
  const agenda = new Agenda({ clock: bankClock, ledger, wake });
  const parts = { bankApi, payments, faults, notifier, calls: new ReceivedCalls(), clock, closed: closed.signal };
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
      base: `${origin}${bankApi.root}`,
      control: `${origin}${CONTROL}`,
      acquirer: bankApi.setting,
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
