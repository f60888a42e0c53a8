import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import forge from "node-forge";
import type { Clock } from "../../../../kernel/clock.ts";
import type { TlsMaterial } from "./listener.ts";

const KEY_BITS = 2048;
const DAY_MS = 86_400_000;
/** A certificate is valid from this long before now, because the clocks of a machine and its containers differ slightly. */
const BEFORE_MS = DAY_MS;
/** Lifetime of a certificate. Nobody runs one sandbox longer, and some clients refuse longer lifetimes. */
export const LIFE_MS = 365 * DAY_MS;
/** Lifetime of the authority. Clients trust a folder's authority as long as the folder is used. */
const AUTHORITY_LIFE_MS = 10 * LIFE_MS;

const ISSUER = [{ name: "commonName", value: "Sandbox authority" }];

/** Certificate and key of a certificate authority, in PEM. */
export interface Authority {
  readonly key: string;
  readonly cert: string;
}

/** A certificate for this machine, and the authority that a client must trust. */
export interface MadeCertificate extends TlsMaterial {
  /** The authority's certificate in PEM. */
  readonly ca: string;
}

/**
 * Makes a certificate for this machine's names and `hosts`. It is not the authority's own certificate, because strict clients refuse an
 * authority as a server.
 */
export async function makeCertificate(clock: Clock, authority: Authority, hosts: readonly string[] = []): Promise<MadeCertificate> {
  const server = await makeKey();
  const ca = forge.pki.certificateFromPem(authority.cert);
  const leaf = begin(server, { nowMs: clock.nowMs(), lifeMs: LIFE_MS, place: 1 }, [{ name: "commonName", value: "localhost" }]);
  leaf.setIssuer(ca.subject.attributes);
  leaf.setExtensions([
    { name: "basicConstraints", cA: false, critical: true },
    { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectKeyIdentifier" },
    { name: "authorityKeyIdentifier", keyIdentifier: ca.generateSubjectKeyIdentifier().getBytes() },
    { name: "subjectAltName", altNames: alternativeNames(hosts) },
  ]);
  leaf.sign(forge.pki.privateKeyFromPem(authority.key), forge.md.sha256.create());
  return { key: server.pem, cert: forge.pki.certificateToPem(leaf), ca: authority.cert };
}

export async function makeAuthority(clock: Clock): Promise<Authority> {
  const key = await makeKey();
  const ca = begin(key, { nowMs: clock.nowMs(), lifeMs: AUTHORITY_LIFE_MS, place: 0 }, ISSUER);
  ca.setIssuer(ISSUER);
  ca.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    { name: "subjectKeyIdentifier" },
  ]);
  ca.sign(key.forge, forge.md.sha256.create());
  return { key: key.pem, cert: forge.pki.certificateToPem(ca) };
}

/** Start and length of a certificate's lifetime. `place` distinguishes two certificates of one moment. */
interface Term {
  readonly nowMs: number;
  readonly lifeMs: number;
  readonly place: 0 | 1;
}

/** Returns a serial number that contains the moment, so a later start never repeats it for another key. */
function serialOf({ nowMs, place }: Term): string {
  return (nowMs * 2 + place).toString(16).padStart(14, "0");
}

interface Key {
  readonly pem: string;
  readonly forge: forge.pki.rsa.PrivateKey;
}

/** Makes a key pair with Node, because forge needs seconds for it. */
async function makeKey(): Promise<Key> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  return { pem: privateKey, forge: forge.pki.privateKeyFromPem(privateKey) };
}

function begin(key: Key, term: Term, subject: forge.pki.CertificateField[]): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(key.forge.n, key.forge.e);
  certificate.serialNumber = serialOf(term);
  certificate.validity.notBefore = new Date(term.nowMs - BEFORE_MS);
  certificate.validity.notAfter = new Date(term.nowMs + term.lifeMs);
  certificate.setSubject(subject);
  return certificate;
}

/** Returns this machine's names and the given hosts. Type 2 is a host name, type 7 an IP address. */
function alternativeNames(hosts: readonly string[]): object[] {
  const addresses = ["127.0.0.1", "::1", ...hosts.filter(isAddress)];
  const names = ["localhost", ...hosts.filter((host) => !isAddress(host))];
  return [...new Set(names)].map((value): object => ({ type: 2, value })).concat([...new Set(addresses)].map((ip) => ({ type: 7, ip })));
}

function isAddress(host: string): boolean {
  return host.includes(":") || /^[\d.]+$/.test(host);
}
