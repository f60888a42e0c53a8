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
  | "installations"
  | "installationsCsv"
  | "payments"
  | "paymentsCsv"
  | "payment"
  | "totals"
  | "totalsCsv"
  | "audit"
  | "auditCsv";

type Row = Endpoint & { id: ConsoleCallId };

function row(id: ConsoleCallId, method: "GET" | "POST", path: string, summary: string): Row {
  return { id, method, path, summary, answers: [{ status: 200, description: "A page or a file" }] };
}

/** All addresses below `/console`. The pages are for people, so the documentation of the contracts does not list them. */
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
  row("installationsCsv", "GET", "/installations.csv", "Installations as a file"),
  row("installations", "GET", "/installations", "Installations"),
  row("paymentsCsv", "GET", "/payments.csv", "QR payments as a file"),
  row("payments", "GET", "/payments", "QR payments"),
  row("payment", "GET", "/payments/:id", "One payment's story"),
  row("totalsCsv", "GET", "/totals.csv", "Totals as a file"),
  row("totals", "GET", "/totals", "Totals by day, register and rate"),
  row("auditCsv", "GET", "/audit.csv", "The audit as a file"),
  row("audit", "GET", "/audit", "Who has changed what"),
];
