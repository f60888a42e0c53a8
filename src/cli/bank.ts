import { readClockAhead } from "../app/config.ts";
import { createLog } from "../app/logging.ts";
import { systemClock } from "../kernel/clock.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import { BANK_NAMES, type BankOptions, openBank } from "../tools/bank/bank.ts";
import { FAULT_NAMES, type Fault } from "../tools/bank/engine/faults.ts";
import { aborted } from "./aborted.ts";
import { readArguments } from "./arguments.ts";
import { type Command, type CommandIo, UsageError } from "./command.ts";
import { atMost, given, oneOf, wholeNumber } from "./option-values.ts";

const USAGE = `Usage: npm run cli -- bank yookassa|tbank [options]

The fake bank of an acquirer, as far as a merchant's program can tell: a test tool, no money moves. Listens on
127.0.0.1 until SIGTERM or SIGINT. Standard output carries one JSON line when it is ready: base (for YOOKASSA_URL
or TBANK_URL), control (what the buyer and the bank do), acquirer (for the setting of that name). Notifications
that do not arrive are told on standard error.

  --port N              where to listen (default 0, a free port)
  --seed N              same seed: same credentials and ids, same calls struck by faults (default 1)
  --data DIR            keep the payments there, durable over kill -9 (default: memory)
  --notify URL          where notifications go (yookassa; tbank: when Init names no NotificationURL)
  --pay-after MS        the buyer pays so long after the code is handed over (default: when the control line says so)
  --fault NAME[=SHARE]  repeatable: share of the occasions on which it strikes, 0 to 1 (default 1)
  --help                this text

Faults: lost-answer (done, connection closed), error-after (done, then 500), error-before (500, nothing done),
slow-answer (4 s later), down (connection closed at once), busy (429), no-notifications, double-notifications,
early-notifications (paid and told before the code is handed over), late-payment (pays after cancel or expiry),
refund-refused, strange-status, wrong-amount, new-field. CLOCK_AHEAD_MS sets the bank's clock ahead.
What else it does, and the control line: src/tools/bank/README.md.
`;

export const bankCommand: Command = {
  name: "bank",
  summary: "the fake bank of an acquirer, for tests of QR payment",
  usage: USAGE,
  run: (args, io) => run(readBankOptions(args), io),
};

type StatedOptions = Omit<BankOptions, "clock" | "clockAheadMs" | "log">;

async function run(options: StatedOptions, io: CommandIo): Promise<number> {
  const log = createLog({ level: "warn", destination: { write: (line) => io.err(line.trimEnd()) } });
  const bank = await opened(openBank({ ...options, clock: systemClock, clockAheadMs: readClockAhead(), log }));
  try {
    io.out(JSON.stringify({ base: bank.base, control: bank.control, acquirer: bank.acquirer }));
    const lost = await Promise.race([aborted(io.signal), bank.lost]);
    if (lost === undefined) return 0;
    io.err(`the bank ends, its payments can be kept no more: ${messageOf(lost)}`);
    return 1;
  } finally {
    await bank.close();
  }
}

/** A folder that contradicts an option is a usage error. */
async function opened<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof Failure && error.code === "folder-differs") throw new UsageError(error.message);
    throw error;
  }
}

const OPTIONS = {
  port: { type: "string" },
  seed: { type: "string" },
  data: { type: "string" },
  notify: { type: "string" },
  "pay-after": { type: "string" },
  fault: { type: "string", multiple: true },
} as const;

const MAX_PORT = 65_535;
const MAX_SEED = Number.MAX_SAFE_INTEGER;
/** The longest time before the buyer pays: a day. No QR code of the server is valid for so long. */
const MAX_PAY_AFTER_MS = 86_400_000;

/** Reads the arguments. Throws a `UsageError` of one line that names what is wrong. */
export function readBankOptions(args: string[]): StatedOptions {
  const { values, positionals } = readArguments({ args, options: OPTIONS, allowPositionals: true });
  const [target] = positionals;
  const name = BANK_NAMES.find((known) => known === target);
  if (name === undefined) {
    const found = target === undefined ? "" : `, not "${target}"`;
    throw new UsageError(`bank needs the name of an acquirer, ${BANK_NAMES.join(" or ")}${found}: bank NAME [options]`);
  }
  atMost(positionals, 1, `bank ${name} [options]`);
  const payAfter = values["pay-after"];
  return {
    name,
    port: wholeNumber("--port", values.port ?? "0", 0, MAX_PORT),
    seed: values.seed === undefined ? undefined : wholeNumber("--seed", values.seed, 0, MAX_SEED),
    data: values.data === undefined ? undefined : given("--data", values.data, "a folder"),
    notifyUrl: values.notify === undefined ? undefined : notifyUrl(values.notify),
    payAfterMs: payAfter === undefined ? undefined : wholeNumber("--pay-after", payAfter, 0, MAX_PAY_AFTER_MS),
    faults: (values.fault ?? []).map(fault),
  };
}

function notifyUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--notify is an address like http://127.0.0.1:8080/hooks/yookassa/SECRET, not "${text}"`);
  }
  return url.href;
}

function fault(text: string): Fault {
  const [name = "", share = "1", ...rest] = text.split("=");
  const value = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(share) ? Number(share) : Number.NaN;
  if (rest.length > 0 || !(value >= 0 && value <= 1)) throw new UsageError(`--fault: the share of ${name} is from 0 to 1, not "${share}"`);
  return { name: oneOf("--fault", name, FAULT_NAMES), share: value };
}
