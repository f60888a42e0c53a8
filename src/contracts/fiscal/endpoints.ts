import type { ZodType } from "zod";
import { MAX_BODY_WORDS } from "../../http/raw-body.ts";
import type { AnswerSpec, Endpoint, HeaderSpec } from "../../http/route.ts";
import type { PlatformProfile } from "../../kernel/platform-profile.ts";
import {
  cashSchema,
  closeShiftSchema,
  doneSchema,
  errorsSchema,
  openShiftSchema,
  saleSchema,
  salesReturnSchema,
  shiftClosedSchema,
  shiftOpenedSchema,
} from "./schema.ts";

export type FiscalCallId = "openShift" | "sale" | "salesReturn" | "cashIn" | "cashOut" | "closeShift";

/** The six calls. Their paths are below the contract's base, `/fiscal`. */
export function fiscalEndpoints(profile: PlatformProfile): (Endpoint & { id: FiscalCallId })[] {
  const rows: [FiscalCallId, "PUT" | "POST", string, string, ZodType, ZodType][] = [
    ["openShift", "PUT", "/1/openshift", "Open a shift", openShiftSchema, shiftOpenedSchema],
    ["sale", "POST", "/1/retaildemand", "Register a sale", saleSchema, doneSchema],
    ["salesReturn", "POST", "/1/retaisalesreturn", "Register a return", salesReturnSchema, doneSchema],
    ["cashIn", "POST", "/1/retaildrawercashin", "Put cash into the drawer", cashSchema, doneSchema],
    ["cashOut", "POST", "/1/retaildrawercashout", "Take cash out of the drawer", cashSchema, doneSchema],
    ["closeShift", "PUT", "/1/closeshift", "Close a shift", closeShiftSchema, shiftClosedSchema],
  ];
  const headers = headersOf(profile);
  return rows.map(([id, method, path, summary, body, done]) => ({
    id,
    method,
    path,
    // The platform's documents misspell the path (platform-contracts 4.3). The alias is the right spelling, which the platform may use one
    // day.
    ...(id === "salesReturn" ? { aliases: ["/1/retailsalesreturn"] } : {}),
    summary,
    headers,
    body,
    answers: [{ status: 200, description: "Registered; the same document again gets the same bytes", body: done }, ...REFUSALS],
  }));
}

function headersOf({ headers }: PlatformProfile): HeaderSpec[] {
  return [
    { name: headers.fiscalAccountId, description: "Registration id that the installation brought", required: true },
    { name: headers.fiscalSignature, description: "Signature of the body", required: true },
  ];
}

const REFUSALS: AnswerSpec[] = [
  { status: 400, description: "50400: the body is no JSON in UTF-8", body: errorsSchema },
  { status: 409, description: "50002: came with other content; 50003: still running; 50004: outcome unknown", body: errorsSchema },
  {
    status: 412,
    description: "12017: not proved; 999: a field is missing or wrong; 50001, 50010, 51001–51031: a rule of the trade",
    body: errorsSchema,
  },
  { status: 413, description: `50413: the body is larger than ${MAX_BODY_WORDS}`, body: errorsSchema },
  { status: 415, description: "50415: the body is not sent as JSON", body: errorsSchema },
  { status: 424, description: "50020, 51040, 51041: the register refused, nothing was registered", body: errorsSchema },
  { status: 500, description: "50500: a fault of the server; safe to repeat", body: errorsSchema },
  {
    status: 503,
    description: "50030: the register cannot be reached or waits for a person, or the journal takes no change; nothing was registered",
    body: errorsSchema,
  },
];
