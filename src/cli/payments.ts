import { parseWallTime } from "../kernel/moment.ts";
import { PAYMENT_STATES, type PaymentState } from "../model/payment.ts";
import { findPayment } from "../operator/payments/find-payment.ts";
import { type PaymentWish, paymentList } from "../operator/payments/list-payments.ts";
import { paymentStory } from "../operator/payments/payment-story.ts";
import type { OperatorPayments } from "../operator/payments/services.ts";
import { isReadable } from "../payments/listed-payment.ts";
import type { Payment } from "../payments/payment.ts";
import { readArguments } from "./arguments.ts";
import { type Command, type CommandIo, lineByLine, UsageError, withTools } from "./command.ts";
import { atMost, given, oneOf, wholeNumber } from "./option-values.ts";
import { reconcileAll, refund, settle } from "./payments/acting.ts";
import { rowJson, storyJson } from "./payments/payment-json.ts";
import { listLines, storyLines, unreadableLines } from "./payments/tables.ts";

const USAGE = `Usage: npm run cli -- payments list [--account ID] [--store ID] [--state STATE] [--day YYYY-MM-DD] [--json]
       npm run cli -- payments show ID [--json]
       npm run cli -- payments refund ID [KOPECKS] --reason TEXT [--json]
       npm run cli -- payments settle ID paid|not-paid --reason TEXT [--json]
       npm run cli -- payments reconcile [--json]

QR payments. The server may run meanwhile: what is ordered here is stored, and carried out by whichever of the two has the payment.

  ID         the server's id of the payment, the till's of the operation, or the bank's; of several attempts of one operation the newest is meant
  list       the newest first, 1,000 at most
  show       everything about one: refunds, money after the end, the sale that it has paid, and how it came about
  refund     returns KOPECKS, or all that is left; also money that came after the end and waits for a person
  settle     ends what only a person can end, once you have looked at the bank: of an open payment, whether the money has come;
             of a refund in state person, paid where the money is still here, not-paid where it has gone back
  reconcile  reads at the banks everything that is open, and what is over since three days at the longest; tells what agrees,
             what has changed, what differs, and what could not be read. Exit code 1: something differs or could not be read

Options:
  --account ID   only of this account
  --store ID     only of this point of sale
  --state STATE  ${PAYMENT_STATES.slice(0, 6).join(", ")},
                 ${PAYMENT_STATES.slice(6).join(", ")}
  --day DAY      made on that day, in the zone of the point of sale: 2026-11-29
  --reason TEXT  how you know, or why: it stays in the record
  --json         for programs; amounts in kopecks
`;

/** The maximum number of listed payments. A person can narrow the list by day or point of sale. */
const LIST_LIMIT = 1_000;
/** The longest reason, in characters. The payment's moves and the audit store it. */
const MAX_REASON = 500;
const MAX_KOPECKS = 100_000_000_000;

export interface PaymentTools extends OperatorPayments {
  close(): Promise<void>;
}

/** `open` opens the database that the configuration names. */
export function paymentsCommand(open: () => Promise<PaymentTools>): Command {
  return {
    name: "payments",
    summary: "list, show, refund, settle and reconcile QR payments",
    usage: USAGE,
    async run(args, io) {
      const work = workOf(args);
      return withTools(open, (tools) => work(tools, io));
    },
  };
}

type Work = (tools: PaymentTools, io: CommandIo) => Promise<number>;

const ACTIONS = ["list", "show", "refund", "settle", "reconcile"] as const;
type Action = (typeof ACTIONS)[number];

/** The options of each action. Any other option is refused: ignoring it would mislead the person. */
const OWN: Readonly<Record<Action, readonly string[]>> = {
  list: ["account", "store", "state", "day", "json"],
  show: ["json"],
  refund: ["reason", "json"],
  settle: ["reason", "json"],
  reconcile: ["json"],
};

function workOf(args: string[]): Work {
  const { values, positionals } = parsed(args);
  const [text, ...words] = positionals;
  const action = actionNamed(text);
  refuseForeign(action, values);
  const { json } = values;
  switch (action) {
    case "list":
      return listing(words, values);
    case "show":
      return onPayment(action, words, 1, (tools, payment, io) => show(tools, payment, json, io));
    case "refund": {
      idIn(action, words);
      const amount = words[1] === undefined ? {} : { amountKopecks: wholeNumber("KOPECKS", words[1], 1, MAX_KOPECKS) };
      const order = { ...amount, reason: reasonIn(values) };
      return onPayment(action, words, 2, (tools, payment, io) => refund(tools, payment, order, json, io));
    }
    case "settle": {
      idIn(action, words);
      if (words[1] === undefined) throw new UsageError("settle needs paid or not-paid behind the ID");
      const decision = oneOf("what the bank shows", words[1], ["paid", "not-paid"]);
      const reason = reasonIn(values);
      return onPayment(action, words, 2, (tools, payment, io) => settle(tools, payment, { decision, reason }, json, io));
    }
    case "reconcile":
      atMost(words, 0, "`payments reconcile` with options alone");
      return (tools, io) => reconcileAll(tools, json, lines(io, json));
  }
}

function actionNamed(text: string | undefined): Action {
  const action = ACTIONS.find((known) => known === text);
  if (action !== undefined) return action;
  const found = text === undefined ? "" : `, not "${text}"`;
  throw new UsageError(`expected one of ${ACTIONS.map((name) => `payments ${name}`).join(", ")}${found}`);
}

function listing(words: readonly string[], { account, store, state, day, json }: Options): Work {
  atMost(words, 0, "`payments list` with options alone");
  const wish: PaymentWish = {
    limit: LIST_LIMIT,
    ...(account === undefined ? {} : { accountId: given("--account", account, "the id of an account") }),
    ...(store === undefined ? {} : { storeId: given("--store", store, "the id of a point of sale") }),
    ...(state === undefined ? {} : { state: stateNamed(state) }),
    ...(day === undefined ? {} : { day: dayNamed(day) }),
  };
  return async (tools, io) => {
    const { payments, more } = await paymentList(tools, wish);
    for (const line of unreadableLines(payments)) io.err(line);
    if (json) io.out(JSON.stringify(payments.filter(isReadable).map(rowJson), undefined, 2));
    else if (payments.length === 0) io.out("There are no such payments.");
    else for (const line of listLines(payments)) io.out(line);
    if (more) io.err(`Only the newest ${LIST_LIMIT} are shown: name a --day or a --store`);
    return 0;
  };
}

async function show(tools: PaymentTools, payment: Payment, json: boolean, io: CommandIo): Promise<number> {
  const story = await paymentStory(tools, payment.id);
  if (json) io.out(JSON.stringify(storyJson(story), undefined, 2));
  else for (const line of storyLines(story)) io.out(line);
  return 0;
}

type PaymentWork = (tools: PaymentTools, payment: Payment, io: CommandIo) => Promise<number>;

function onPayment(action: Action, words: readonly string[], most: number, work: PaymentWork): Work {
  const id = idIn(action, words);
  atMost(words, most, "one payment at a time");
  return async (tools, io) => {
    const found = await findPayment(tools, id);
    switch (found.kind) {
      case "found":
        return work(tools, found.payment, io);
      case "unreadable":
        for (const line of unreadableLines([found.payment])) io.err(line);
        return 1;
      case "none":
        io.err("There is no such payment; see `payments list`");
        return 1;
      case "ambiguous":
        io.err("Several payments have this id; name one by its own:");
        for (const line of listLines(found.candidates)) io.err(line);
        return 1;
    }
  };
}

function idIn(action: Action, [id]: readonly string[]): string {
  if (id === undefined || id === "") throw new UsageError(`${action} needs the ID of a payment, as \`payments list\` shows it`);
  return id;
}

function reasonIn({ reason }: Options): string {
  const text = reason?.trim() ?? "";
  if (text === "") throw new UsageError("--reason TEXT is missing: how you know, or why");
  if (text.length > MAX_REASON) throw new UsageError(`--reason has ${MAX_REASON} characters at most`);
  return text;
}

function stateNamed(text: string): PaymentState {
  return oneOf("--state", text.replaceAll("-", " "), PAYMENT_STATES);
}

function dayNamed(text: string): string {
  if (parseWallTime(`${text} 00:00:00`) === undefined) throw new UsageError(`--day is a day such as 2026-11-29, not "${text}"`);
  return text;
}

/**
 * Returns an `io` that writes each text for people as one line, because a bank's words may have line breaks. JSON has several lines and is
 * written unchanged.
 */
function lines(io: CommandIo, json: boolean): CommandIo {
  return json ? io : lineByLine(io);
}

function refuseForeign(action: Action, values: Options): void {
  const own = OWN[action];
  const [foreign] = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === false || own.includes(name) ? [] : [name],
  );
  if (foreign === undefined) return;
  throw new UsageError(`payments ${action} has no option --${foreign}: it knows ${own.map((name) => `--${name}`).join(", ")}`);
}

type Options = ReturnType<typeof parsed>["values"];

const TEXT = { type: "string" } as const;

function parsed(args: string[]) {
  return readArguments({
    args,
    allowPositionals: true,
    options: { account: TEXT, store: TEXT, state: TEXT, day: TEXT, reason: TEXT, json: { type: "boolean", default: false } },
  });
}
