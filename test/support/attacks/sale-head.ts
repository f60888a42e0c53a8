import { randomBytes } from "node:crypto";
import { PLATFORM_NAMES } from "../../../src/tools/sandbox/caller/names.ts";
import type { AttackTarget } from "./attack.ts";

const { accountHeader, signatureHeader } = PLATFORM_NAMES.canonical;

/** As long as the signature of an RSA key of 2048 bits, so that the server must check it. */
const SIGNATURE = randomBytes(256).toString("base64");

/** The first line of a sale, without the version. */
export const SALE = "POST /fiscal/1/retaildemand";

/** The head of a sale of a known account, right except for its signature. `more` adds members. */
export function saleHead({ registrationId }: AttackTarget, more: Record<string, string | number>): Record<string, string | number> {
  return { "Content-Type": "application/json", [accountHeader]: registrationId, [signatureHeader]: SIGNATURE, ...more };
}
