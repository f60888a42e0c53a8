import { createHash } from "node:crypto";
import type { FiscalParty } from "../../accounts/installation.ts";
import type { Installations } from "../../accounts/installations.ts";
import { type Settings, WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { Failure } from "../../kernel/failure.ts";
import { PLATFORM_ID } from "../../model/operation.ts";
import {
  DEFAULT_SIGNATURE_SCHEME,
  type KeyCache,
  PAIRING,
  pair,
  type SignatureScheme,
  signatureSchemeNamed,
  verifySignature,
} from "../../security/signature.ts";

export interface ProofServices {
  installations: Pick<Installations, "byRegistration">;
  /** The account's setting `signatureScheme` names a scheme. `pair` tries every scheme and then stores the scheme that matches. */
  settings: Pick<Settings, "of" | "set">;
  /** False in production, where only the configured or the default scheme counts (platform-contracts 4.2). */
  pairingAllowed: boolean;
}

type Caller = { kind: "known"; party: FiscalParty } | { kind: "refused"; answer: "not-connected" | "key-unusable"; reason: string };

/** Finds the caller's installation and its keys: the first two checks of interface 5, made before the body is read. */
export async function identify({ installations }: ProofServices, registrationId: string | undefined): Promise<Caller> {
  if (registrationId === undefined) return refused("not-connected", "no account id");
  // An id that does not have the form of the platform's ids belongs to nobody, so it is not looked up.
  if (!PLATFORM_ID.test(registrationId)) return refused("not-connected", "malformed account id");
  const party = await installations.byRegistration(registrationId);
  if (party === undefined) return refused("not-connected", "unknown account id");
  if (party.state !== "active") return refused("not-connected", `installation is ${party.state}`);
  if (party.keys.length === 0) return refused("key-unusable", party.keyProblem ?? "no public key");
  return { kind: "known", party };
}

type Proof =
  | { kind: "proved"; scheme: string; pinned: boolean }
  /** Data for an operator who examines how the caller signs. The data never contain the body (platform-contracts 4.2). */
  | { kind: "refused"; reason: string; bodySha256: string };

/**
 * Checks whether one of the party's keys signed this body. `pinned`: pairing found the scheme and stored it as the setting. Throws when the
 * settings cannot be read or stored.
 */
export async function proveBody(
  services: ProofServices,
  keys: KeyCache,
  party: FiscalParty,
  body: Buffer,
  signature: string | undefined,
): Promise<Proof> {
  const refuse = (reason: string): Proof => ({ kind: "refused", reason, bodySha256: createHash("sha256").update(body).digest("hex") });
  if (signature === undefined || signature.trim() === "") return refuse("no signature");
  // Replaced keys count until they retire: a request may have been signed before the change.
  const candidates = party.keys.map(({ spki }) => keys.of(spki));
  const { signatureScheme: setting } = await services.settings.of(party.appId, party.accountId, WHOLE_ACCOUNT);
  if (setting === PAIRING && services.pairingAllowed) {
    const found = candidates.map((key) => pair(key, body, signature)).find((scheme) => scheme !== undefined);
    if (found === undefined) return refuse("no scheme of the table matches");
    await pin(services, party, found.name);
    return { kind: "proved", scheme: found.name, pinned: true };
  }
  const scheme = schemeOf(setting);
  const proved = candidates.some((key) => verifySignature(scheme, key, body, signature));
  return proved ? { kind: "proved", scheme: scheme.name, pinned: false } : refuse("the signature does not match");
}

async function pin({ settings }: ProofServices, party: FiscalParty, name: string): Promise<void> {
  const change = await settings.set(party, WHOLE_ACCOUNT, "signatureScheme", name, { name: "pairing", place: "server" });
  if (change.kind === "refused") throw new Failure("scheme-not-pinned", "fault", change.problem);
}

/** Returns the configured scheme, or the default when the setting names no scheme, as `pair` does. */
function schemeOf(setting: string | undefined): SignatureScheme {
  const scheme = signatureSchemeNamed(setting ?? DEFAULT_SIGNATURE_SCHEME) ?? signatureSchemeNamed(DEFAULT_SIGNATURE_SCHEME);
  if (scheme === undefined) throw new Failure("scheme-missing", "fault", "the table of signature schemes has no default row");
  return scheme;
}

function refused(answer: "not-connected" | "key-unusable", reason: string): Caller {
  return { kind: "refused", answer, reason };
}
