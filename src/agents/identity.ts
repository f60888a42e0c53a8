import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Chance, Clock } from "../kernel/clock.ts";
import { helloText, type SignedHello } from "../registers/agent/wire/protocol.ts";
import type { Store } from "../store/database.ts";
import { firstTokenAt } from "../store/lease.ts";
import { selectHighestToken, selectServer, upsertServer } from "./agent-queries.ts";

/** The length of an Ed25519 SPKI (RFC 8410). */
const SPKI_BYTES = 44;
const SIGNATURE_BYTES = 64;

export interface ServerIdentity {
  /** Made at the first start. Never changes. */
  id: string;
  /** Grows with each start. If only one process serves, this number is the fencing token of its calls. */
  startNumber: number;
}

/**
 * Counts a start of the server and returns its identity. The start number may be the fencing token of calls, and agents refuse a token
 * below the highest that they have seen. The number follows the time, because a plain count would fall back when a backup is restored. The
 * number also exceeds all lease tokens, because agents have seen those tokens if several processes shared the database before.
 */
export function countStart({
  store,
  clock,
  chance,
}: {
  store: Pick<Store, "commit">;
  clock: Clock;
  chance: Chance;
}): Promise<ServerIdentity> {
  return store.commit(async (tx) => {
    const known = await selectServer(tx);
    const id = known?.server_id ?? chance.uuid();
    const least = Math.max(known?.start_number ?? 0, await selectHighestToken(tx)) + 1;
    const startNumber = Math.max(least, firstTokenAt(clock.nowMs()));
    return await upsertServer(tx, id, startNumber);
  });
}

/** Returns an agent's key. Undefined: the text is not an Ed25519 key (SPKI in Base64). */
export function readAgentKey(text: string): KeyObject | undefined {
  const der = Buffer.from(text, "base64");
  if (der.length !== SPKI_BYTES || der.toString("base64") !== text) return undefined;
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    // OpenSSL throws plain errors for invalid keys, so every error means an invalid key.
    return undefined;
  }
}

/** Whether the agent's key made the signature of a hello. */
export function provesHello(publicKey: string, hello: SignedHello, signature: string): boolean {
  const key = readAgentKey(publicKey);
  const bytes = Buffer.from(signature, "base64");
  if (key === undefined || bytes.length !== SIGNATURE_BYTES || bytes.toString("base64") !== signature) return false;
  return verify(null, Buffer.from(helloText(hello), "utf8"), key, bytes);
}

export function hashOfCode(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
