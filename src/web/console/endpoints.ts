import type { Endpoint } from "../../http/route.ts";

export type ConsoleCallId =
  | "home"
  | "loginPage"
  | "login"
  | "logout"
  | "operations"
  | "operationsCsv"
  | "operation"
  | "settle"
  | "receiptPdf"
  | "registers"
  | "leaveOut"
  | "agents"
  | "enrolAgent"
  | "acceptAgent"
  | "revokeAgent"
  | "installations"
  | "installationsCsv"
  | "payments"
  | "paymentsCsv"
  | "payment"
  | "refund"
  | "settlePayment"
  | "members"
  | "membersCsv"
  | "member"
  | "grant"
  | "erase"
  | "totals"
  | "totalsCsv"
  | "audit"
  | "auditCsv";

type Row = Endpoint & { id: ConsoleCallId };

function row(id: ConsoleCallId, method: "GET" | "POST", path: string, summary: string): Row {
  return { id, method, path, summary, answers: [{ status: 200, description: "A page or a file" }] };
}

/** All pages and acts below `/console`. They are for people, so the documentation of the contracts omits them. */
export const CONSOLE_ENDPOINTS: readonly Row[] = [
  row("home", "GET", "/", "What needs a person"),
  row("loginPage", "GET", "/login", "The form of the login"),
  row("login", "POST", "/login", "Logs somebody in"),
  row("logout", "POST", "/logout", "Ends the session"),
  row("operationsCsv", "GET", "/operations.csv", "Operations as a file"),
  row("operations", "GET", "/operations", "Operations"),
  row("receiptPdf", "GET", "/operations/:key/receipt.pdf", "A receipt as a file"),
  row("settle", "POST", "/operations/:key/settle", "Settles a doubt"),
  row("operation", "GET", "/operations/:key", "One operation's story"),
  row("registers", "GET", "/registers", "Registers"),
  row("leaveOut", "POST", "/registers/leave-out", "Leaves a document of a drive out"),
  row("agents", "GET", "/agents", "Shop agents"),
  row("enrolAgent", "POST", "/agents", "Makes a code for an agent"),
  row("acceptAgent", "POST", "/agents/:name/accept", "Accepts another device or copy of an agent"),
  row("revokeAgent", "POST", "/agents/:name/revoke", "Takes an agent back no more"),
  row("installationsCsv", "GET", "/installations.csv", "Installations as a file"),
  row("installations", "GET", "/installations", "Installations"),
  row("paymentsCsv", "GET", "/payments.csv", "QR payments as a file"),
  row("payments", "GET", "/payments", "QR payments"),
  row("payment", "GET", "/payments/:id", "One payment's story"),
  row("refund", "POST", "/payments/:id/refund", "Returns money"),
  row("settlePayment", "POST", "/payments/:id/settle", "Ends what only a person can end"),
  row("membersCsv", "GET", "/members.csv", "Members of programmes as a file"),
  row("members", "GET", "/members", "Members of programmes"),
  row("member", "GET", "/members/:id", "One member's points"),
  row("grant", "POST", "/members/:id/grant", "Grants or deducts points"),
  row("erase", "POST", "/members/:id/erase", "Erases who a member is"),
  row("totalsCsv", "GET", "/totals.csv", "Totals as a file"),
  row("totals", "GET", "/totals", "Totals by day, register and rate"),
  row("auditCsv", "GET", "/audit.csv", "The audit as a file"),
  row("audit", "GET", "/audit", "Who has changed what"),
];
