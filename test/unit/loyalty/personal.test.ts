import { expect, it } from "vitest";
import { Secret } from "../../../src/kernel/secret.ts";
import { sealPersonal } from "../../../src/loyalty/members/member.ts";
import { MAX_PERSONAL_LENGTH } from "../../../src/loyalty/members/personal-schema.ts";
import { createSeal } from "../../../src/security/seal.ts";

const SEAL = createSeal(new Secret("a key of the members' tests"));

it.each(["name", "phone", "email", "card", "legalLastName"] as const)(
  "a member's %s has a bound, and the error names the text",
  (field) => {
    const seal = (length: number) => sealPersonal("member-1", { name: "Анна", [field]: "Ж".repeat(length) }, SEAL);
    expect(seal(MAX_PERSONAL_LENGTH)).toEqual(expect.any(String));
    expect(() => seal(MAX_PERSONAL_LENGTH + 1)).toThrow(
      expect.objectContaining({ code: "loyalty-personal-too-long", kind: "caller", message: expect.stringMatching(`${field}.*1000`) }),
    );
  },
);
