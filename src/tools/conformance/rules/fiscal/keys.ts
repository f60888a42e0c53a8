import { type KeyForm, publicKeyAs } from "../../../sandbox/caller/key-forms.ts";
import { makeSigningKey } from "../../../sandbox/caller/signing-key.ts";
import { type CheckResult, inTurn } from "../../exchanges/check-result.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group, Rule } from "../rule.ts";
import { expectState } from "../vendor/answers.ts";
import { expectLetIn } from "./accounts.ts";
import { expectRefused } from "./answers.ts";

const WEAK_KEY_BITS = 1024;

/** Public keys in undocumented forms, and a key that is too short (platform-contracts 3.4; interface 5, Public key). */
export const keysGroup: Group = {
  id: "fiscal/key",
  needs: ["fiscal/error/shape", "fiscal/signature/accepted"],
  rules: [
    {
      id: "fiscal/key/weak",
      title: "a key of 1024 bits is not used",
      source: "decided",
      clause: "interface 5, Public key; interface 6, Complete set-up; platform-contracts 3.4",
      expected:
        "an activation with an RSA key of 1024 bits is 200 with the usual state, and requests signed with it are 412 and 12017: RSA of at least 2048 bits is demanded",
      mend: "Look at the length of the modulus when the key arrives; keep a short one as unusable and tell whoever runs the server.",
      needs: ["vendor/activation/unreadable-key", "fiscal/account/unreadable-key"],
      check: async (scene) => {
        const account = scene.newAccount();
        account.installation.key = makeSigningKey(WEAK_KEY_BITS);
        const activated = expectState(await account.activate("Install"));
        if (activated.kind !== "held") return activated;
        return expectRefused(
          await (await scene.newTill(account)).send("retaildemand", {}, { label: `a key of ${WEAK_KEY_BITS} bits` }),
          412,
          12017,
        );
      },
    },
    formsRule("armoured", "a key in PEM or in URL-safe Base64 is read", ["pem", "url-safe"], {
      how: "PEM lines with line breaks around the Base64, and in the URL-safe alphabet without padding",
      mend: "Strip PEM lines and white space, and decode both alphabets of Base64.",
    }),
    formsRule("pkcs1", "a key in the form of PKCS#1 is read", ["pkcs1", "pkcs1-pem"], {
      how: "the DER of PKCS#1 (RSAPublicKey), on one line of Base64 and as BEGIN RSA PUBLIC KEY",
      mend: "Try PKCS#1 where the bytes are no SubjectPublicKeyInfo.",
    }),
    formsRule("certificate", "a key inside of a certificate is read", ["certificate"], {
      how: "an X.509 certificate in PEM",
      mend: "Take the public key out of the certificate; who signed it says nothing here.",
    }),
  ],
};

function formsRule(name: string, title: string, forms: readonly KeyForm[], { how, mend }: { how: string; mend: string }): Rule {
  return {
    id: `fiscal/key/${name}`,
    title,
    source: "decided",
    clause: "interface 5, Public key; platform-contracts 3.4",
    expected: `a request signed with a key that came as ${how}, gets past the signature: 412 and 999 for a body without fields, not 12017`,
    mend,
    check: (scene) =>
      inTurn(
        forms,
        (form) => `additional.fiscalApi.token as ${form}`,
        (form) => taken(scene, form),
      ),
  };
}

async function taken(scene: Scene, form: KeyForm): Promise<CheckResult> {
  const account = scene.newAccount();
  const { registrationId, key } = account.installation;
  await account.activate("Install", { additional: { fiscalApi: { id: registrationId, token: publicKeyAs(form, key) } } });
  return expectLetIn(await scene.newTill(account), `a key that came as ${form}`);
}
