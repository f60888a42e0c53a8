import { describe, expect, it } from "vitest";
import { parseAddress, REGISTER_PROTOCOLS } from "../../../src/registers/catalogue.ts";

const SECRET = "31415926";
/** The places of each scheme, spelled so that the address is wrong or its options are. */
const PLACES = REGISTER_PROTOCOLS.flatMap(({ schemes }) => schemes).flatMap((scheme) => [
  `${scheme}:name`,
  `${scheme}://192.0.2.1:7778`,
  `${scheme}:/dev/ttyUSB0`,
]);
/** Ways to write a password where it is not understood. */
const MISTAKES = [
  `&systemPassword=${SECRET}`,
  `systemPassword=${SECRET}`,
  ` systemPassword=${SECRET}`,
  `;systemPassword=${SECRET}`,
  `,${SECRET}`,
  `?systemPassword=1&${SECRET}`,
  `?systemPassword=1&${SECRET}=2`,
  `?systemPassword=${SECRET}000001`,
  `?password=${SECRET}`,
  `?systempassword=${SECRET}`,
  `?systemPassword=${SECRET}?`,
];

describe("the problem of a register's address", () => {
  it.each(PLACES.flatMap((place) => MISTAKES.map((mistake) => [`${place}${mistake}`])))("never repeats a password: %s", (address) => {
    const parsed = parseAddress(address);
    expect(parsed.kind).toBe("invalid");
    expect(JSON.stringify(parsed)).not.toContain(SECRET);
  });

  it("repeats the place, so that a person sees which address is meant", () => {
    expect(parseAddress(`shtrih-m+tcp://192.0.2.1:port&systemPassword=${SECRET}`)).toEqual({
      kind: "invalid",
      problem: '"//192.0.2.1:port…" is no //HOST:PORT',
    });
  });
});
