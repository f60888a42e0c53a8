import { actNoter, auditOf } from "../../accounts/audit.ts";
import { finishSetUp } from "../../accounts/set-up.ts";
import { doubtWords } from "../../contracts/fiscal/doubt-words.ts";
import { callerOf, networksOf } from "../../http/source.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Chance, Clock } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import { Secret } from "../../kernel/secret.ts";
import { eraseMember } from "../../loyalty/members/erase.ts";
import { personalOf } from "../../loyalty/members/member.ts";
import type { Lanes } from "../../operations/lanes.ts";
import type { OperationServices } from "../../operations/services.ts";
import type { Operations } from "../../operations/submit.ts";
import { explanationOf } from "../../operator/explaining/explanation.ts";
import { memberNamed } from "../../operator/loyalty/find-member.ts";
import { grantPoints } from "../../operator/loyalty/grant-points.ts";
import { memberList } from "../../operator/loyalty/list-members.ts";
import { memberStory } from "../../operator/loyalty/member-story.ts";
import { previewProgramme } from "../../operator/loyalty/preview-programme.ts";
import { programmeFile, replaceProgramme } from "../../operator/loyalty/set-programme.ts";
import { findPayment } from "../../operator/payments/find-payment.ts";
import { paymentList } from "../../operator/payments/list-payments.ts";
import { paymentStory } from "../../operator/payments/payment-story.ts";
import { refundPayment } from "../../operator/payments/refund-payment.ts";
import type { RegisterQuestions } from "../../operator/register-questions.ts";
import { RegisterDesk } from "../../operator/registers/register-desk.ts";
import { makeReport } from "../../operator/reports/make-report.ts";
import { changeSettings } from "../../operator/settings/change-settings.ts";
import { type SettlingServices, settleByHand } from "../../operator/settling/settle-by-hand.ts";
import type { VendorClient } from "../../platform/vendor/client.ts";
import type { ReceiptPrinter } from "../../receipts/draw.ts";
import { QR_MARGIN_MODULES } from "../../receipts/layouts.ts";
import { QrEncoder } from "../../receipts/qr-code/encoder.ts";
import { qrStripsOf } from "../../receipts/qr-code/strips.ts";
import { receiptOf } from "../../receipts/receipt.ts";
import { addressOf, partsOf } from "../../registers/address-form.ts";
import { REGISTER_PROTOCOLS } from "../../registers/catalogue.ts";
import { listPorts } from "../../registers/links/serial-ports.ts";
import type { Rack } from "../../registers/rack.ts";
import type { Store } from "../../store/database.ts";
import type { DrawnPaper } from "../../web/receipt-view.ts";
import type { Identified, SettingsPageServices, WindowProof } from "../../web/settings/services.ts";
import { PageSessions } from "../../web/settings/session/session.ts";
import type { Accounts } from "../accounts.ts";
import { acquirersFor, parseAcquirerSetting } from "../acquirers.ts";
import type { AgentParts } from "../agents/agents.ts";
import type { Config } from "../config.ts";
import type { LoyaltyComposition } from "../loyalty.ts";
import type { PaymentParts } from "../payments.ts";
import { seenConcerns } from "../seen-registers.ts";
import type { Shop } from "../shop.ts";
import { agentsPart } from "./agents-part.ts";

interface PageNeeds {
  config: Config;
  store: Store;
  accounts: Accounts;
  shop: Shop;
  loyalty: LoyaltyComposition;
  qr: PaymentParts;
  journal: Journal;
  operations: Operations;
  questions: Pick<RegisterQuestions, "checkClaim">;
  services: OperationServices;
  printer: ReceiptPrinter;
  lanes: Lanes;
  rack: Rack;
  /** Absent: the server has no agents. */
  agents?: Pick<AgentParts, "desk" | "enrolment">;
  clock: Clock;
  chance: Chance;
}

export function settingsPageServices(needs: PageNeeds): SettingsPageServices {
  const { config, store, accounts, shop, loyalty, journal, operations, questions, printer, clock, chance } = needs;
  const { seal, installations, settings, setUp } = accounts;
  const trusted = networksOf(config.trustedProxies);
  const settling: SettlingServices = { journal, clock, ask: (...asked) => questions.checkClaim(...asked) };
  return {
    sessions: new PageSessions({ seal, clock, chance }),
    callerOf: (request) => callerOf(request, trusted),
    installations,
    identify: (appId, proof) => identify(accounts, appId, proof),
    settings,
    points: shop.points,
    registers: registerForms(needs.rack),
    desk: deskOf(needs),
    concernsOf: (seen) => seenConcerns(seen, clock.nowMs()),
    change: (...change) => changeSettings({ settings, setUp, loyalty: loyalty.connections }, ...change),
    finishSetUp: (key, name) => finishSetUp(setUp, key, { name, place: "page" }),
    isComplete: (key) => setUp.isComplete(key),
    auditOf: (key, storeId, limit) => auditOf(store, key, storeId, limit),
    journal,
    paperOf: paperDrawer(),
    pdfOf: async (entry) => (await printer.drawReceipt({ ...printedOf(entry), paper: entry.paper })).pdf,
    explain: (entry) => explanationOf(journal, entry, clock.nowMs()),
    doubtWords,
    settle: (entry, statement, name) => settleByHand(settling, entry, statement, { name, place: "page" }),
    testSlip: (point, name) =>
      makeReport(
        { journal, clock, operations, noteAct: actNoter({ store, clock }) },
        { report: "x-report", point },
        { name, place: "page" },
      ),
    payments: paymentsPart(needs),
    members: membersPart(loyalty),
    programme: programmePart(loyalty),
    ...(needs.agents === undefined ? {} : { agents: agentsPart(needs.agents, config.agents.url) }),
    clock,
    hostOrigin: new URL(config.profile.uiUrl).origin,
    ...present({ publicUrl: config.publicUrl }),
  };
}

function paymentsPart({ config, accounts, qr, journal }: PageNeeds): SettingsPageServices["payments"] {
  const desk = { services: qr.services, clients: qr.clients, turns: qr.turns, journal };
  const acquirers = acquirersFor(config);
  return {
    acquirers,
    problemOf(setting) {
      const parsed = parseAcquirerSetting(setting.replaceAll("=***", "=1"), acquirers);
      return parsed.kind === "invalid" ? { parts: parsed.parts ?? [] } : undefined;
    },
    async notificationAddress(key, acquirer) {
      const secret = await accounts.merchants.hookSecret(key, acquirer);
      return qr.services.notificationUrl(acquirer, secret.reveal());
    },
    list: (...wish) => paymentList(desk, ...wish),
    find: (...id) => findPayment(desk, ...id),
    story: (...id) => paymentStory(desk, ...id),
    refund: (...order) => refundPayment(desk, ...order),
  };
}

function membersPart(desk: LoyaltyComposition): SettingsPageServices["members"] {
  return {
    list: (...wish) => memberList(desk, ...wish),
    find: (...text) => memberNamed(desk, ...text),
    story: (...row) => memberStory(desk, ...row),
    grant: (...order) => grantPoints(desk, ...order),
    personOf: (row) => shownPerson(row, desk.services.seal),
    erase: async (key, memberId, actor) => (await eraseMember(desk.services, key, memberId, actor)).kind === "erased",
  };
}

function programmePart(desk: LoyaltyComposition): SettingsPageServices["programme"] {
  return {
    current: (key) => programmeFile(desk, key),
    preview: (...sample) => previewProgramme(desk, ...sample),
    replace: (...change) => replaceProgramme(desk, ...change),
  };
}

/** A member's name and phone for pages. Undefined once the member was erased. */
export function shownPerson(...[row, seal]: Parameters<typeof personalOf>): { name: string; phone?: string } | undefined {
  const personal = personalOf(row, seal);
  return personal === undefined ? undefined : { name: personal.name, ...present({ phone: personal.phone }) };
}

/** Makes the forms of all register schemes of the catalogue. Schemes with a name as address, such as the emulator's, come last. */
function registerForms(rack: Rack): SettingsPageServices["registers"] {
  const forms = REGISTER_PROTOCOLS.flatMap((protocol) => protocol.forms);
  return {
    forms: forms.toSorted((one, other) => Number(one.place.kind === "name") - Number(other.place.kind === "name")),
    addressOf,
    partsOf: (address) => partsOf(forms, address),
    problemOf(address) {
      const parsed = rack.parse(address);
      return parsed.kind === "invalid" ? parsed.problem : undefined;
    },
    async ports() {
      const listed = await listPorts();
      return listed.kind === "ports" ? listed.ports.map(({ path }) => path) : undefined;
    },
  };
}

function deskOf({ services, lanes, rack }: PageNeeds): RegisterDesk {
  return new RegisterDesk({ ...services, seen: () => rack.seen(), visit: (address, zone, ask) => rack.visit(address, zone, ask) }, lanes);
}

const IDENTIFY_MS = 5_000;

/** Asks the platform for the user of a window. `nobody`: the solution is unknown here, the proof is not valid, or the call failed. */
async function identify({ credentials, vendor }: Accounts, appId: string, proof: WindowProof): Promise<Identified> {
  if (!credentials.has(appId)) return { kind: "nobody", why: "no such catalogue entry" };
  try {
    return proof.kind === "token" ? await byToken(vendor, appId, proof.token) : await byKey(vendor, appId, proof.contextKey);
  } catch (error) {
    if (error instanceof Failure) return { kind: "nobody", why: error.code };
    throw error;
  }
}

async function byToken(vendor: VendorClient, appId: string, token: string): Promise<Identified> {
  const answer = await vendor.userByToken(appId, new Secret(token), { timeoutMs: IDENTIFY_MS });
  if (answer.kind !== "user") return { kind: "nobody", why: `token: ${answer.kind}` };
  const { accountId, userUid, role, administrator } = answer;
  return { kind: "user", user: { appId, accountId, name: userUid, role, administrator } };
}

async function byKey(vendor: VendorClient, appId: string, contextKey: string): Promise<Identified> {
  const answer = await vendor.userByKey(appId, new Secret(contextKey), { timeoutMs: IDENTIFY_MS });
  if (answer.kind !== "user") return { kind: "nobody", why: `context key: ${answer.kind}` };
  const { employee, administrator } = answer;
  const name = employee.uid ?? employee.name ?? employee.id;
  // The platform's context states no role, so a user who is no administrator counts as a cashier.
  return {
    kind: "user",
    user: { appId, accountId: employee.accountId, name: String(name), role: administrator ? "admin" : "cashier", administrator },
  };
}

/** Returns a function that makes the data for drawing a receipt on a page. */
export function paperDrawer(): (entry: Entry) => DrawnPaper {
  const encoder = new QrEncoder();
  return (entry) => paperOf(entry, encoder);
}

function paperOf(entry: Entry, encoder: QrEncoder): DrawnPaper {
  const { document, facts } = printedOf(entry);
  const receipt = receiptOf(document, facts);
  if (receipt.qr === undefined) return { receipt };
  const modules = encoder.encode(receipt.qr);
  return { receipt, qr: { size: modules.size + 2 * QR_MARGIN_MODULES, strips: qrStripsOf(modules).strips } };
}

/** Returns the document and facts of a registered entry. Throws `receipt-facts-mismatch` without facts. */
export function printedOf({ id, document, facts }: Entry) {
  if (facts === undefined) throw new Failure("receipt-facts-mismatch", "fault", `entry ${id} was not made, and has no receipt`);
  return { document, facts };
}
