import type { Endpoint } from "../../http/route.ts";

export type SettingsCallId =
  | "page"
  | "session"
  | "stores"
  | "activation"
  | "store"
  | "saveSettings"
  | "state"
  | "registerForm"
  | "saveRegister"
  | "testRegister"
  | "agent"
  | "enrolAgent"
  | "acceptAgent"
  | "operations"
  | "settle"
  | "testSlip"
  | "receipt"
  | "acquirerForm"
  | "saveAcquirer"
  | "payments"
  | "payment"
  | "refund"
  | "members"
  | "member"
  | "grant"
  | "erase"
  | "loyalty"
  | "saveLoyalty"
  | "loyaltyForm"
  | "loyaltyPreview"
  | "loyaltyOn"
  | "loyaltyOff"
  | "receiptPdf";

type Row = Endpoint & { id: SettingsCallId };

function row(id: SettingsCallId, method: "GET" | "POST", path: string, summary: string): Row {
  return { id, method, path, summary, answers: [{ status: 200, description: "A page or a part of one" }] };
}

/** All pages and acts below `/settings`. They are for people, so the documentation of the contracts omits them. */
export const SETTINGS_ENDPOINTS: readonly Row[] = [
  row("page", "GET", "/", "The page inside the platform's frame"),
  row("session", "POST", "/session", "Begins a session with a proof of the platform"),
  row("stores", "GET", "/stores", "Points of sale"),
  row("activation", "POST", "/activation", "Tells the platform that nothing is missing"),
  row("store", "GET", "/stores/:storeId", "One point of sale"),
  row("saveSettings", "POST", "/stores/:storeId", "Changes settings"),
  row("state", "GET", "/stores/:storeId/state", "The state of the register"),
  row("registerForm", "POST", "/stores/:storeId/register/form", "The form of another kind of register, with what was typed"),
  row("saveRegister", "POST", "/stores/:storeId/register", "Changes the register"),
  row("testRegister", "POST", "/stores/:storeId/register/test", "Asks a register who it is"),
  row("agent", "GET", "/stores/:storeId/agent", "The agent through which the register works"),
  row("enrolAgent", "POST", "/stores/:storeId/agent", "Makes a code for an agent"),
  row("acceptAgent", "POST", "/stores/:storeId/agent/accept", "Accepts another device or copy of the agent"),
  row("operations", "GET", "/stores/:storeId/operations", "The last operations"),
  row("settle", "POST", "/stores/:storeId/operations/:entryId/settle", "Settles a doubt"),
  row("testSlip", "POST", "/stores/:storeId/test-slip", "Has the register print its counters"),
  row("acquirerForm", "POST", "/stores/:storeId/acquirer/form", "The form of another acquirer, with what was typed"),
  row("saveAcquirer", "POST", "/stores/:storeId/acquirer", "Changes the acquirer"),
  row("payments", "GET", "/payments", "QR payments"),
  row("payment", "GET", "/payments/:paymentId", "One QR payment"),
  row("refund", "POST", "/payments/:paymentId/refund", "Returns money"),
  row("members", "GET", "/members", "Members of the programme"),
  row("member", "GET", "/members/:memberId", "One member"),
  row("grant", "POST", "/members/:memberId/grant", "Grants or deducts points"),
  row("erase", "POST", "/members/:memberId/erase", "Erases who a member is"),
  row("loyalty", "GET", "/loyalty", "The programme"),
  row("saveLoyalty", "POST", "/loyalty", "Changes the programme"),
  row("loyaltyForm", "POST", "/loyalty/form", "The form of the programme with an item more or less"),
  row("loyaltyPreview", "POST", "/loyalty/preview", "A sample receipt by the programme as it is typed"),
  row("loyaltyOn", "POST", "/loyalty/on", "Switches the programme on"),
  row("loyaltyOff", "POST", "/loyalty/off", "Switches the programme off"),
  row("receiptPdf", "GET", "/receipts/:operation.pdf", "A receipt as a file"),
  row("receipt", "GET", "/receipts/:operation", "A receipt"),
];
