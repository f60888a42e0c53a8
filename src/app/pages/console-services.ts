import { actNoter, auditLines } from "../../accounts/audit.ts";
import { EndedSessions } from "../../accounts/ended-sessions.ts";
import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { doubtWords } from "../../contracts/fiscal/doubt-words.ts";
import { callerOf, networksOf } from "../../http/source.ts";
import type { DeviceExchanges } from "../../journal/exchanges.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Chance, Clock } from "../../kernel/clock.ts";
import { present } from "../../kernel/present.ts";
import { doneInSteps } from "../../kernel/work/in-steps.ts";
import { eraseMember } from "../../loyalty/members/erase.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { explanationOf } from "../../operator/explaining/explanation.ts";
import { memberAnywhere } from "../../operator/loyalty/find-member.ts";
import { grantPoints } from "../../operator/loyalty/grant-points.ts";
import { memberList } from "../../operator/loyalty/list-members.ts";
import { memberStory } from "../../operator/loyalty/member-story.ts";
import type { LoyaltyDesk } from "../../operator/loyalty/services.ts";
import { findPayment } from "../../operator/payments/find-payment.ts";
import { paymentStory } from "../../operator/payments/payment-story.ts";
import { refundPayment } from "../../operator/payments/refund-payment.ts";
import type { OperatorPayments } from "../../operator/payments/services.ts";
import { settlePayment } from "../../operator/payments/settle-payment.ts";
import type { RegisterQuestions } from "../../operator/register-questions.ts";
import { leaveOutDocument } from "../../operator/registers/leave-out-document.ts";
import type { SeenAnswers } from "../../operator/registers/register-desk.ts";
import { type SettlingServices, settleByHand } from "../../operator/settling/settle-by-hand.ts";
import { listedPayments } from "../../payments/finding/found-payments.ts";
import { type ListedPayment, listedPaymentOf } from "../../payments/listed-payment.ts";
import type { ReceiptPrinter } from "../../receipts/draw.ts";
import type { Rack } from "../../registers/rack.ts";
import { checkPassword } from "../../security/password.ts";
import type { Store } from "../../store/database.ts";
import type { ConsoleServices, PaymentSearch, WatchedRegister } from "../../web/console/services.ts";
import { KnownBrowsers } from "../../web/console/session/known-browsers.ts";
import { ConsoleSessions } from "../../web/console/session/session.ts";
import { ConsoleUsers } from "../../web/console/session/users.ts";
import type { Accounts } from "../accounts.ts";
import type { AgentParts } from "../agents/agents.ts";
import type { AlertParts } from "../alerts/alerts.ts";
import type { Config } from "../config.ts";
import type { AgentsConfig } from "../environment/agents-schema.ts";
import { seenConcerns, seenReserves } from "../seen-registers.ts";
import type { Shop } from "../shop.ts";
import { agentsPart } from "./agents-part.ts";
import { namesOf } from "./place-names.ts";
import { paperDrawer, printedOf, shownPerson } from "./settings-services.ts";
import { paidWithoutSale, pointsWithoutSale, receiptsWithoutPayment } from "./unmatched.ts";

interface ConsoleNeeds {
  config: Pick<Config, "consoleUsers" | "timeZone" | "publicUrl" | "trustedProxies"> & { agents?: Pick<AgentsConfig, "url"> };
  store: Store;
  accounts: Pick<Accounts, "seal"> & {
    installations: Pick<Accounts["installations"], "list" | "get">;
    settings: Pick<Accounts["settings"], "of">;
  };
  shop: Pick<Shop, "storeNameOf">;
  journal: Journal;
  exchanges: Pick<DeviceExchanges, "of">;
  questions: Pick<RegisterQuestions, "checkClaim">;
  qr: Pick<OperatorPayments, "services" | "clients" | "turns">;
  loyalty: Pick<LoyaltyDesk, "services" | "members" | "programmes">;
  printer: ReceiptPrinter;
  lanes: Pick<Lanes, "depths" | "isBusy">;
  rack: Pick<Rack, "seen">;
  /** Absent: the server sends no alerts. */
  alerts?: Pick<AlertParts, "unsent">;
  /** Absent: the server has no agents. */
  agents?: Pick<AgentParts, "desk" | "enrolment">;
  clock: Clock;
  chance: Chance;
}

export function consoleServices(needs: ConsoleNeeds): ConsoleServices {
  const { config, store, accounts, journal, questions, printer, clock, chance } = needs;
  const { consoleUsers, timeZone, publicUrl } = config;
  const trusted = networksOf(config.trustedProxies);
  const settling: SettlingServices = { journal, clock, ask: (...asked) => questions.checkClaim(...asked) };
  const desk = { services: needs.qr.services, clients: needs.qr.clients, turns: needs.qr.turns, journal };
  return {
    users: new ConsoleUsers(consoleUsers, { clock, checkPassword }),
    callerOf: (request) => callerOf(request, trusted),
    sessions: new ConsoleSessions({
      seal: accounts.seal,
      clock,
      chance,
      users: consoleUsers,
      ended: new EndedSessions({ store, clock }),
    }),
    browsers: new KnownBrowsers({ seal: accounts.seal, clock, chance }),
    journal,
    explain: (entry) => explanationOf(journal, entry, clock.nowMs()),
    exchangesOf: (entryId) => needs.exchanges.of(entryId),
    settle: (entry, statement, name) => settleByHand(settling, entry, statement, { name, place: "page" }),
    paperOf: paperDrawer(),
    pdfOf: async (entry) => (await printer.drawReceipt({ ...printedOf(entry), paper: entry.paper })).pdf,
    registers: () => watchedRegisters(needs),
    leaveOut: (place, reason, name) => leaveOutDocument({ journal, clock }, place, reason, { name, place: "page" }),
    namesOf: (places) => namesOf(needs, places),
    installations: async () => (await accounts.installations.list()).found,
    listedInstallations: () => accounts.installations.list(),
    payments: {
      search: (wanted) => searchPayments(store, desk, wanted),
      story: (id) => paymentStory(desk, id),
      unsold: (limit) => paidWithoutSale(needs, limit),
      refund: (...order) => refundPayment(desk, ...order),
      settle: (...settlement) => settlePayment(desk, ...settlement),
    },
    unsentAlerts: (limit) => needs.alerts?.unsent(limit) ?? Promise.resolve([]),
    members: membersPart(needs),
    pointsWithoutSale: (limit) => pointsWithoutSale(needs, limit),
    receiptsWithoutPayment: (limit) => receiptsWithoutPayment(needs, limit),
    doubtWords,
    audit: (wanted) => auditLines(store, wanted),
    noteAct: actNoter({ store, clock }),
    ...(needs.agents === undefined ? {} : { agents: agentsPart(needs.agents, config.agents?.url ?? "") }),
    clock,
    zone: timeZone,
    ...present({ publicUrl }),
  };
}

/** Members of all programmes. */
function membersPart({ accounts, loyalty }: Pick<ConsoleNeeds, "accounts" | "loyalty">): ConsoleServices["members"] {
  return {
    isOn: async ({ appId, accountId }) => (await accounts.settings.of(appId, accountId, WHOLE_ACCOUNT)).loyalty === "on",
    list: (...wish) => memberList(loyalty, ...wish),
    anywhere: (...id) => memberAnywhere(loyalty, ...id),
    story: (...row) => memberStory(loyalty, ...row),
    grant: (...order) => grantPoints(loyalty, ...order),
    personOf: (row) => shownPerson(row, loyalty.services.seal),
    erase: async (...member) => (await eraseMember(loyalty.services, ...member)).kind === "erased",
  };
}

async function watchedRegisters({
  rack,
  lanes,
  journal,
  clock,
}: Pick<ConsoleNeeds, "rack" | "lanes" | "journal" | "clock">): Promise<WatchedRegister[]> {
  const seen = new Map(rack.seen().map((one) => [one.address, one]));
  const unfinished = (await journal.heads.unfinished()).filter(({ state }) => state === "in-doubt");
  const doubts = new Map(unfinished.toReversed().map((entry) => [entry.register, entry]));
  const waiting = new Map(lanes.depths().map((lane) => [lane.register, lane.waiting]));
  const watched = async (address: string): Promise<WatchedRegister> => {
    const known = seen.get(address);
    return {
      address,
      concerns: known === undefined ? [] : seenConcerns(known, clock.nowMs()),
      reserves: known === undefined ? {} : seenReserves(known, clock.nowMs()),
      busy: lanes.isBusy(address),
      waiting: waiting.get(address) ?? 0,
      unread: await unreadOf(journal, known),
      ...present({ seen: known, doubt: doubts.get(address), usedBy: await userOf(journal, address) }),
    };
  };
  const addresses = [...new Set([...seen.keys(), ...unfinished.map(({ register }) => register)])];
  return doneInSteps(addresses, REGISTERS_A_STEP, watched);
}

/** How many registers' last operations are read in one step. Other work runs between two steps. */
const REGISTERS_A_STEP = 10;

async function unreadOf({ drives }: Pick<Journal, "drives">, seen: SeenAnswers | undefined): Promise<number[]> {
  const driveNumber = seen?.identity?.value.driveNumber;
  return driveNumber === undefined ? [] : drives.unreadOf(driveNumber);
}

async function userOf(journal: Pick<Journal, "lastDone">, address: string): Promise<WatchedRegister["usedBy"]> {
  const last = await journal.lastDone(address);
  if (last === undefined) return undefined;
  const { appId, accountId } = last.key;
  return { appId, accountId, storeId: last.operation.storeId };
}

async function searchPayments(
  store: Store,
  desk: Parameters<typeof findPayment>[0],
  { id, ...filter }: PaymentSearch,
): Promise<ListedPayment[]> {
  if (id === undefined) return (await listedPayments(store, filter)).map(listedPaymentOf);
  const found = await findPayment(desk, id);
  if (found.kind === "none") return [];
  return found.kind === "ambiguous" ? [...found.candidates] : [found.payment];
}
