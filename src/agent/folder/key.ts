import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { messageOf } from "../../kernel/failure.ts";
import { tighten } from "../../kernel/private-file.ts";
import { agentFailure } from "../failures.ts";
import { writeWhole } from "./durable-file.ts";

/** The agent's key. The private half never leaves its file and this object. */
export interface AgentKey {
  /** Ed25519, SPKI, Base64. */
  publicKey: string;
  /** Returns the signature in Base64. */
  sign(text: string): string;
}

/** Reads the key. Throws a `Failure` when the file is missing, is unreadable or holds no Ed25519 key. */
export function readKey(file: string): AgentKey {
  try {
    tighten(file);
    return keyOf(createPrivateKey(readFileSync(file)));
  } catch (error) {
    // The message has the file name and the error. It never quotes the key.
    throw agentFailure("not-enrolled", "caller", `the agent's key ${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Reads the key, or makes it when the file is missing. A new key is on the disk before the server gets its public half. */
export function makeKey(file: string): AgentKey {
  if (existsSync(file)) return readKey(file);
  const { privateKey } = generateKeyPairSync("ed25519");
  writeWhole(file, privateKey.export({ type: "pkcs8", format: "pem" }).toString(), { durable: true });
  return keyOf(privateKey);
}

function keyOf(privateKey: KeyObject): AgentKey {
  if (privateKey.asymmetricKeyType !== "ed25519") throw new Error("it is no Ed25519 key");
  return {
    publicKey: createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64"),
    sign: (text) => sign(null, Buffer.from(text, "utf8"), privateKey).toString("base64"),
  };
}
