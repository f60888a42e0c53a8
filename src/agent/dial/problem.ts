import { messageOf } from "../../kernel/failure.ts";
import { CLOSE } from "../../registers/agent/wire/protocol.ts";

const DAY = ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID", "CRL_HAS_EXPIRED", "CRL_NOT_YET_VALID"];
const HOST = "ERR_TLS_CERT_ALTNAME_INVALID";
const CERTIFICATE = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_CHAIN_TOO_LONG",
  "INVALID_CA",
  "INVALID_PURPOSE",
];

/** Returns one line that says why an attempt to connect failed, for example what is wrong with the certificate. */
export function connectProblem(error: unknown, url: string): string {
  const { host } = new URL(url);
  const code = codeOf(error);
  if (DAY.includes(code)) return `wrong day: the certificate of ${host} is not valid on this day (${code}); check this machine's clock`;
  if (code === HOST) return `wrong host: the certificate of ${host} is for another host (${firstLine(error)})`;
  if (CERTIFICATE.includes(code)) return `wrong certificate: nobody known vouches for ${host} (${code}); --ca names a file of authorities`;
  return `no connection to ${host}: ${firstLine(error)}${code === "" ? "" : ` (${code})`}`;
}

/** Returns one line that says why a connection ended: the server or the agent closed it (`byAgent`), or it broke off. */
export function closeProblem({ code, reason, byAgent }: { code: number; reason: string; byAgent: boolean }): string {
  const given = reason === "" ? "" : `: ${reason}`;
  switch (code) {
    case CLOSE.malformed:
      return byAgent ? `the server's frame is malformed${given}` : `the server calls a frame malformed${given}`;
    case CLOSE.unknown:
      return `the server does not know this agent, or its key${given}`;
    case CLOSE.revoked:
      return `the agent was revoked at the server${given}`;
    case CLOSE.silent:
      return byAgent ? `the server was silent for too long${given}` : `the server heard nothing from this agent for too long${given}`;
    case CLOSE.forked:
      return `forked: another copy of this agent has worked since; the server's operator must run agents accept${given}`;
    case CLOSE.otherServer:
      return `another server than the one of the enrolment answers${given}`;
    case CLOSE.protocol:
      return `server and agent have no protocol version in common${given}`;
    case CLOSE.tooMany:
      return `the server has too many connections${given}`;
    case CLOSE.leaving:
      return `the server is ending${given}`;
    default:
      return byAgent ? `the agent has closed the connection${given}` : `the connection was lost (${code})${given}`;
  }
}

/** Returns the pause that a server asks for in the reason of the close code 4429 or 4503, such as `{"retryAfterMs": 5000}`. 0: none. */
export function retryAfterMs(code: number, reason: string): number {
  if (code !== CLOSE.tooMany && code !== CLOSE.leaving) return 0;
  try {
    const asked: unknown = JSON.parse(reason);
    const value: unknown = typeof asked === "object" && asked !== null && "retryAfterMs" in asked ? asked.retryAfterMs : undefined;
    return typeof value === "number" && Number.isFinite(value) ? Math.max(0, value) : 0;
  } catch {
    return 0;
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause === undefined ? "" : codeOf(error.cause);
}

/** An `AggregateError` for a host with several addresses has no message, so its first error is used. */
function firstLine(error: unknown): string {
  const inner = error instanceof AggregateError && error.message === "" ? error.errors[0] : error;
  return messageOf(inner).split("\n")[0] ?? "";
}
