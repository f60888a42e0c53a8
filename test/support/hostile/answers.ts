import type { ZodType } from "zod";
import { readBankJson } from "../../../src/acquirers/bank-json.ts";
import * as tbank from "../../../src/acquirers/tbank/schema.ts";
import * as yookassa from "../../../src/acquirers/yookassa/schema.ts";
import { jsonIn } from "../../../src/platform/vendor/reply.ts";
import { contextEmployeeSchema, contextUserSchema, statusBodySchema } from "../../../src/platform/vendor/schema.ts";
import { logSchema, readAgentFrame, settledSchema } from "../../../src/registers/agent/wire/frames-schema.ts";
import { MAX_FRAME_BYTES } from "../../../src/registers/agent/wire/protocol.ts";
import {
  abandonedSchema,
  agentIdentitySchema,
  agentInspectSchema,
  agentOutcomeSchema,
  examinedSchema,
  lookUpSchema,
  recalledSchema,
} from "../../../src/registers/agent/wire/register-schema.ts";

/** One kind of answer that this server reads: how it is read, and the bounds of its length. */
export interface AnswerOfOthers {
  from: "agent" | "bank" | "vendor";
  name: string;
  schema: ZodType;
  /** Members that choose an alternative of the schema. */
  example: object;
  limitBytes: number;
  read(bytes: Buffer): unknown;
}

const LIST_BYTES = 512 * 1024;
const VENDOR_BYTES = 1024 * 1024;

/** The answers of agents, banks and the platform's side of the vendor contract. */
export const ANSWERS: readonly AnswerOfOthers[] = [
  ...agent("identity", agentIdentitySchema, { kind: "reached" }),
  ...agent("inspect", agentInspectSchema, { kind: "reached" }),
  ...agent("outcome", agentOutcomeSchema, { kind: "done" }, { kind: "refused" }, { kind: "in-doubt" }),
  ...agent("recalled", recalledSchema, { kind: "outcome", outcome: { kind: "done" } }),
  ...agent("lookUp", lookUpSchema, { kind: "found" }, { kind: "foreign" }),
  ...agent("abandoned", abandonedSchema, { kind: "reached" }),
  ...agent("examined", examinedSchema, { kind: "examined" }, { kind: "unreachable" }),
  ...agent("settled", settledSchema, {}),
  ...agent("log", logSchema, {}),
  ...[tbank.answerSchema, tbank.initSchema, tbank.qrSchema, tbank.stateSchema, tbank.orderSchema, tbank.cancelSchema].map((schema, nth) =>
    bank(`tbank ${nth}`, schema),
  ),
  ...[yookassa.paymentSchema, yookassa.refundSchema, yookassa.paymentListSchema, yookassa.errorSchema].map((schema, nth) =>
    bank(`yookassa ${nth}`, schema),
  ),
  vendor("status", statusBodySchema),
  vendor("employee", contextEmployeeSchema),
  vendor("user", contextUserSchema),
];

function agent(name: string, schema: ZodType, ...examples: object[]): AnswerOfOthers[] {
  const head = '{"answer":1,"result":';
  return examples.map((example) => ({
    from: "agent",
    name: `${name} ${JSON.stringify(example)}`,
    schema,
    example,
    limitBytes: MAX_FRAME_BYTES - head.length - 1,
    read(bytes) {
      const frame = readAgentFrame(`${head}${bytes.toString("utf8")}}`);
      return frame !== undefined && "result" in frame ? schema.safeParse(frame.result).success : frame;
    },
  }));
}

function bank(name: string, schema: ZodType): AnswerOfOthers {
  return {
    from: "bank",
    name,
    schema,
    example: {},
    limitBytes: LIST_BYTES,
    read(bytes) {
      const json = readBankJson(bytes);
      return json.kind === "object" ? schema.safeParse(json.members).success : json;
    },
  };
}

function vendor(name: string, schema: ZodType): AnswerOfOthers {
  return {
    from: "vendor",
    name,
    schema,
    example: {},
    limitBytes: VENDOR_BYTES,
    read: (bytes) => schema.safeParse(jsonIn({ status: 200, headers: {}, body: bytes })).success,
  };
}
