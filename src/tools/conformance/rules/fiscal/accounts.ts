import { PLATFORM_NAMES } from "../../../sandbox/caller/names.ts";
import { type CheckResult, inTurn } from "../../exchanges/check-result.ts";
import type { Scene } from "../../play/scene.ts";
import type { Till } from "../../play/till.ts";
import type { Group } from "../rule.ts";
import { expectRefused } from "./answers.ts";

const REFUSAL = "status 412 and code 12017; nothing is registered";
const NEEDS = ["fiscal/error/shape", "fiscal/signature/accepted"];

/** Who may call (platform-contracts 3.7, 4.2). The rules send a body without fields. Code 999 means that the server accepted the caller. */
export const accountsGroup: Group = {
  id: "fiscal/account",
  needs: NEEDS,
  rules: [
    {
      id: "fiscal/account/unknown",
      title: "an account id that nobody registered is refused",
      source: "decided",
      clause: "interface 5, Order; platform-contracts 4.7",
      expected: `${REFUSAL}, for an unknown X-Platform-Fiscal-Account-Id and for none`,
      mend: "Look the installation up by the header; when there is no row, or no header, answer 412 and 12017.",
      check: (scene) =>
        inTurn(
          [scene.services.chance.uuid(), null],
          (id) => (id === null ? "no account id" : "an unknown account id"),
          async (accountId) => expectRefused(await (await scene.newTill()).send("retaildemand", {}, { accountId }), 412, 12017),
        ),
    },
    {
      id: "fiscal/account/foreign-key",
      title: "one account's key does not open another account",
      source: "seed",
      clause: "seed, Authentication 1; platform-contracts 4.2",
      expected: `${REFUSAL}, for the id of one account with a signature by the key of another`,
      mend: "Take the key from the row that the account id found, never from any list of known keys.",
      check: async (scene) => {
        const till = await scene.newTill();
        const other = await scene.installedAccount();
        return expectRefused(await till.send("retaildemand", {}, { accountId: other.installation.registrationId }), 412, 12017);
      },
    },
    {
      id: "fiscal/account/header-names",
      title: "only the header names of the profile in force count",
      source: "decided",
      clause: "platform-contracts 1",
      expected: `${REFUSAL}, when id and signature come under the names of the other profile (X-Lognex-… or X-Platform-…)`,
      mend: "Read the two names from the configuration, and none but those.",
      check: async (scene) => {
        const { name } = scene.target.profile;
        const names = PLATFORM_NAMES[name === "canonical" ? "production" : "canonical"];
        return expectRefused(await (await scene.newTill()).send("retaildemand", {}, { names }), 412, 12017);
      },
    },
    {
      id: "fiscal/account/suspended",
      title: "a suspended account is refused",
      source: "decided",
      clause: "platform-contracts 3.7, 4.7",
      expected: `${REFUSAL}, after DELETE with cause Suspend`,
      mend: "Mark the installation as suspended, and check its state before the signature.",
      check: (scene) => refusedAfter(scene, "Suspend"),
    },
    {
      id: "fiscal/account/resumed",
      title: "a resumed account is served, by the key that came with Resume",
      source: "decided",
      clause: "platform-contracts 3.4, 3.5",
      expected: "a request signed with the new key gets past the signature: 412 and 999 for a body without fields, not 12017",
      mend: "On Resume put the installation back, and let a key that comes replace the stored one.",
      needs: ["vendor/activation/resume"],
      check: async (scene) => {
        const account = await scene.installedAccount();
        const till = await scene.newTill(account);
        await account.deactivate("Suspend");
        account.renew();
        await account.activate("Resume");
        await scene.untilActive(account);
        return expectLetIn(till, "the key that came with Resume");
      },
    },
    {
      id: "fiscal/account/former-key",
      title: "the key before the last one counts for a while",
      source: "decided",
      clause: "platform-contracts 3.4",
      expected:
        "a request signed with the key that Resume has just replaced gets past the signature: 412 and 999 for a body without fields, not 12017; it may have been signed before the change",
      mend: "Keep the replaced key for 10 minutes, and verify by either.",
      needs: ["fiscal/account/resumed"],
      check: async (scene) => {
        const account = await scene.installedAccount();
        const till = await scene.newTill(account);
        const signature = till.sign(Buffer.from("{}"));
        await account.deactivate("Suspend");
        account.renew();
        await account.activate("Resume");
        await scene.untilActive(account);
        return expectRefused(await till.send("retaildemand", {}, { signature, label: "that of the key before Resume" }), 412, 999);
      },
    },
    {
      id: "fiscal/account/resume-keeps-key",
      title: "a Resume that brings no key leaves the former one in force",
      source: "decided",
      clause: "platform-contracts 3.4, 3.5",
      expected:
        "after Suspend, and Resume without additional, a request signed with the key of the Install gets past the signature: 412 and 999 for a body without fields, not 12017",
      mend: "Suspend erases the access token, not the public key; on Resume a value that is present replaces the stored one, and absence keeps it.",
      needs: ["vendor/activation/resume"],
      check: async (scene) => {
        const account = await scene.installedAccount();
        const till = await scene.newTill(account);
        await account.deactivate("Suspend");
        await account.activate("Resume", { additional: undefined });
        await scene.untilActive(account);
        return expectLetIn(till, "the key of the Install, after a Resume without one");
      },
    },
    {
      id: "fiscal/account/tariff-keeps-key",
      title: "a change of the tariff leaves the key in force",
      source: "decided",
      clause: "platform-contracts 3.4, 3.5",
      expected:
        "after PUT with cause TariffChanged, and with Autoprolongation, that bring no additional, a request signed with the key of the Install gets past the signature: 412 and 999 for a body without fields, not 12017",
      mend: "A value that is present replaces the stored one, absence keeps it: do not write null over the key.",
      needs: ["vendor/activation/tariff"],
      check: (scene) =>
        inTurn(
          ["TariffChanged", "Autoprolongation"],
          (cause) => `after ${cause}`,
          async (cause) => {
            const account = await scene.installedAccount();
            const till = await scene.newTill(account);
            await account.activate(cause, { additional: undefined });
            return expectLetIn(till, `the key of the Install, after ${cause} without one`);
          },
        ),
    },
    {
      id: "fiscal/account/unreadable-key",
      title: "an account whose key cannot be read is refused",
      source: "decided",
      clause: "interface 6, Complete set-up; platform-contracts 3.4",
      expected: `${REFUSAL}, for an account that was activated with a token that is no RSA public key`,
      mend: "Without a usable key nothing can be verified: refuse, and never let such an account in unverified.",
      needs: ["vendor/activation/unreadable-key"],
      check: async (scene) => {
        const account = scene.newAccount();
        const fiscalApi = { id: account.installation.registrationId, token: "this-is-no-key" };
        await account.activate("Install", { additional: { fiscalApi } });
        return expectRefused(await (await scene.newTill(account)).send("retaildemand", {}), 412, 12017);
      },
    },
    {
      id: "fiscal/account/uninstalled",
      title: "an uninstalled account is refused",
      source: "decided",
      clause: "platform-contracts 3.7, 4.7",
      expected: `${REFUSAL}, after DELETE with cause Uninstall`,
      mend: "Mark the installation as uninstalled, and check its state before the signature.",
      check: (scene) => refusedAfter(scene, "Uninstall"),
    },
  ],
};

/** First checks that the installed account is accepted. Otherwise a server that accepts no account would pass. */
async function refusedAfter(scene: Scene, cause: "Suspend" | "Uninstall"): Promise<CheckResult> {
  const account = await scene.installedAccount();
  const till = await scene.newTill(account);
  const before = await expectLetIn(till, "the account installed");
  if (before.kind !== "held") return before;
  await account.deactivate(cause);
  return expectRefused(await till.send("retaildemand", {}, { label: `the account after ${cause}` }), 412, 12017);
}

/** Expects code 999 for a signed body without fields: the server accepted the caller, but not the fields. */
export async function expectLetIn(till: Till, label: string): Promise<CheckResult> {
  return expectRefused(await till.send("retaildemand", {}, { label }), 412, 999);
}
