import { auditLines } from "../../accounts/audit.ts";
import { doubtWords } from "../../contracts/fiscal/doubt-words.ts";
import type { Journal } from "../../journal/journal.ts";
import { searchJournal } from "../../journal/search.ts";
import type { Chance, Clock } from "../../kernel/clock.ts";
import { present } from "../../kernel/present.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { explanationOf } from "../../operator/explaining/explanation.ts";
import { findPayment } from "../../operator/payments/find-payment.ts";
import { paymentStory } from "../../operator/payments/payment-story.ts";
import type { RegisterQuestions } from "../../operator/register-questions.ts";
import { type Payment, paymentOf } from "../../payments/payment.ts";
import { listPayments } from "../../payments/payment-queries.ts";
import { unsoldPayments } from "../../payments/sale-queries.ts";
import type { PaymentServices } from "../../payments/services.ts";
import type { ReceiptPrinter } from "../../receipts/draw.ts";
import type { Rack } from "../../registers/rack.ts";
import type { Store } from "../../store/database.ts";
import type { ConsoleServices, PaymentSearch, WatchedRegister } from "../../web/console/services.ts";
import { ConsoleSessions } from "../../web/console/session.ts";
import { ConsoleUsers } from "../../web/console/users.ts";
import type { Accounts } from "../accounts.ts";
import type { AlertParts } from "../alerts/alerts.ts";
import type { Config } from "../config.ts";
import { seenConcerns } from "../seen-registers.ts";
import { paperDrawer, printedOf } from "./settings-services.ts";
import { settleOnPage } from "./settle-on-page.ts";

interface ConsoleNeeds {
  config: Pick<Config, "consoleUsers" | "timeZone" | "publicUrl">;
  store: Store;
  accounts: Pick<Accounts, "seal"> & { installations: Pick<Accounts["installations"], "list"> };
  journal: Journal;
  questions: Pick<RegisterQuestions, "checkClaim">;
  qr: { services: Pick<PaymentServices, "store" | "clock" | "settingsOf"> };
  printer: ReceiptPrinter;
  lanes: Pick<Lanes, "depths" | "isBusy">;
  rack: Pick<Rack, "seen">;
  /** Absent: nobody is told anything. */
  alerts?: Pick<AlertParts, "unsent">;
  clock: Clock;
  chance: Chance;
}

/** Makes the services of the console. */
export function consoleServices(needs: ConsoleNeeds): ConsoleServices {
  const { config, store, accounts, journal, questions, printer, clock, chance } = needs;
  const { consoleUsers, timeZone, publicUrl } = config;
  const desk = { services: needs.qr.services, journal };
  return {
    users: new ConsoleUsers(consoleUsers, clock),
    sessions: new ConsoleSessions({
      seal: accounts.seal,
      clock,
      chance,
      isUser: (login) => consoleUsers.some((user) => user.login === login),
    }),
    journal,
    search: (wanted) => searchJournal(store, wanted),
    explain: (entry) => explanationOf(journal, entry, clock.nowMs()),
    settle: (...decision) => settleOnPage({ store, journal, clock, ask: (...asked) => questions.checkClaim(...asked) }, ...decision),
    paperOf: paperDrawer(),
    pdfOf: async (entry) => (await printer.drawReceipt({ ...printedOf(entry), paper: entry.paper })).pdf,
    registers: () => watchedRegisters(needs),
    installations: () => accounts.installations.list(),
    payments: {
      search: (wanted) => searchPayments(store, desk, wanted),
      story: (id) => paymentStory(desk, id),
      unsold: async (limit) => (await store.read((db) => unsoldPayments(db, limit, { paidAtMs: 0, id: "" }))).map(paymentOf),
    },
    unsentAlerts: (limit) => needs.alerts?.unsent(limit) ?? Promise.resolve([]),
    doubtWords,
    audit: (wanted) => auditLines(store, wanted),
    clock,
    zone: timeZone,
    ...present({ publicUrl }),
  };
}

async function watchedRegisters({
  rack,
  lanes,
  journal,
  clock,
}: Pick<ConsoleNeeds, "rack" | "lanes" | "journal" | "clock">): Promise<WatchedRegister[]> {
  const seen = rack.seen();
  const doubts = (await journal.unfinished()).filter(({ state }) => state === "in-doubt");
  const addresses = new Set([...seen.map(({ address }) => address), ...doubts.map(({ register }) => register)]);
  const waiting = new Map(lanes.depths().map((lane) => [lane.register, lane.waiting]));
  return [...addresses].map((address) => {
    const known = seen.find((one) => one.address === address);
    return {
      address,
      concerns: known === undefined ? [] : seenConcerns(known, clock.nowMs()),
      busy: lanes.isBusy(address),
      waiting: waiting.get(address) ?? 0,
      ...present({ seen: known, doubt: doubts.find(({ register }) => register === address) }),
    };
  });
}

async function searchPayments(store: Store, desk: Parameters<typeof findPayment>[0], { id, ...filter }: PaymentSearch): Promise<Payment[]> {
  if (id === undefined) return (await store.read((db) => listPayments(db, filter))).map(paymentOf);
  const found = await findPayment(desk, id);
  if (found.kind === "none") return [];
  return found.kind === "found" ? [found.payment] : [...found.candidates];
}
