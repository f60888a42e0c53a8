import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import forge from "node-forge";
import type { Clock } from "../../kernel/clock.ts";
import type { TlsMaterial } from "./listener.ts";

const KEY_BITS = 2048;
const DAY_MS = 86_400_000;
/** Clocks of one machine and its containers differ a little. */
const BEFORE_MS = DAY_MS;
/** Nobody runs one sandbox longer; some clients refuse longer lives. */
const LIFE_MS = 365 * DAY_MS;

/** A certificate for this machine, and the authority that signed it: whoever trusts that may speak to the sandbox. */
export interface MadeCertificate extends TlsMaterial {
  /** PEM of the authority. */
  readonly ca: string;
}

/** Makes both; a leaf of its own, because strict clients take no authority for a server. `hosts` join this machine's names. */
export async function makeCertificate(clock: Clock, hosts: readonly string[] = []): Promise<MadeCertificate> {
  const [authority, server] = await Promise.all([makeKey(), makeKey()]);
  const issuer = [{ name: "commonName", value: "Sandbox authority" }];
  const ca = begin(authority, clock, serialOf(clock, 0), issuer);
  ca.setIssuer(issuer);
  ca.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    { name: "subjectKeyIdentifier" },
  ]);
  ca.sign(authority.forge, forge.md.sha256.create());
  const leaf = begin(server, clock, serialOf(clock, 1), [{ name: "commonName", value: "localhost" }]);
  leaf.setIssuer(issuer);
  leaf.setExtensions([
    { name: "basicConstraints", cA: false, critical: true },
    { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectKeyIdentifier" },
    { name: "authorityKeyIdentifier", keyIdentifier: ca.generateSubjectKeyIdentifier().getBytes() },
    { name: "subjectAltName", altNames: alternativeNames(hosts) },
  ]);
  leaf.sign(authority.forge, forge.md.sha256.create());
  return { key: server.pem, cert: forge.pki.certificateToPem(leaf), ca: forge.pki.certificateToPem(ca) };
}

/** Of the moment: a client that has met an earlier start must not meet its numbers again on other keys. */
function serialOf(clock: Clock, place: number): string {
  return (clock.nowMs() * 2 + place).toString(16).padStart(14, "0");
}

interface Key {
  readonly pem: string;
  readonly forge: forge.pki.rsa.PrivateKey;
}

/** Made by Node: the library's own take seconds. */
async function makeKey(): Promise<Key> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  return { pem: privateKey, forge: forge.pki.privateKeyFromPem(privateKey) };
}

function begin(key: Key, clock: Clock, serial: string, subject: forge.pki.CertificateField[]): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(key.forge.n, key.forge.e);
  certificate.serialNumber = serial;
  certificate.validity.notBefore = new Date(clock.nowMs() - BEFORE_MS);
  certificate.validity.notAfter = new Date(clock.nowMs() + LIFE_MS);
  certificate.setSubject(subject);
  return certificate;
}

/** Kinds of names in a certificate: 2 is a host, 7 an address. */
function alternativeNames(hosts: readonly string[]): object[] {
  const addresses = ["127.0.0.1", "::1", ...hosts.filter(isAddress)];
  const names = ["localhost", ...hosts.filter((host) => !isAddress(host))];
  return [...new Set(names)].map((value): object => ({ type: 2, value })).concat([...new Set(addresses)].map((ip) => ({ type: 7, ip })));
}

function isAddress(host: string): boolean {
  return host.includes(":") || /^[\d.]+$/.test(host);
}
