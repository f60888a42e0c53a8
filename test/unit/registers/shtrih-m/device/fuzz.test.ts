import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../../../../src/registers/shtrih-m/commands/commands.ts";
import { SeededRandom } from "../../../../../src/tools/seeded-random.ts";
import { bytesOf, CLOSE_SALE, COFFEE, DeviceTrial, framed, hexOf, OPEN_SALE, OPEN_SHIFT } from "../../../../support/shtrih-m-device.ts";

const CODES = Object.values(COMMANDS).map(({ code }) => hexOf(Uint8Array.from(code)));
const PASSWORDS = ["1E000000", "01000000", "00000000"];
const FRAMES = 1_000;
const SCRAPS = 300;

/** Random bytes. Many of them are small, as in real commands. */
function someBytes(random: SeededRandom, most: number): string {
  const bytes = Array.from({ length: random.below(most + 1) }, () => (random.below(2) === 0 ? random.below(4) : random.below(256)));
  return hexOf(Uint8Array.from(bytes));
}

describe("the device and hosts that talk nonsense", () => {
  it.each([1, 2, 3])(
    "answers every frame, whatever is in it, with the code that was asked (seed %i)",
    async (seed) => {
      const notes: string[] = [];
      const random = new SeededRandom(seed);
      const trial = await DeviceTrial.begin({ note: (text) => notes.push(text) });
      const host = trial.connect();
      for (let count = 0; count < FRAMES; count += 1) {
        const known = [OPEN_SHIFT, OPEN_SALE, COFFEE, CLOSE_SALE][random.below(8)];
        const code = CODES[random.below(CODES.length)] ?? "10";
        const command =
          known ?? `${code} ${PASSWORDS[random.below(PASSWORDS.length)]} ${someBytes(random, random.below(3) === 0 ? 120 : 8)}`;
        if (command.startsWith("FE F3")) continue;
        const data = bytesOf(command);
        const heard = (await host.say(framed(hexOf(data)))).join(" ");
        await host.say("06");
        const answered = bytesOf(heard).subarray(3);
        expect(heard.startsWith("06 02"), `${command}: ${heard}`).toBe(true);
        expect(answered[0], command).toBe(data[0]);
      }
      expect(notes).toEqual([]);
    },
    60_000,
  );

  it("is ready for the next command after any scraps of bytes and a pause", async () => {
    const random = new SeededRandom(4);
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    for (let count = 0; count < SCRAPS; count += 1) {
      await host.say(someBytes(random, 40));
      await trial.clock.advance(200);
      await host.say("06");
      const [reaction] = await host.say("05");
      if (reaction === "06") await host.say("06");
      expect(await host.say("05")).toEqual(["15"]);
    }
  }, 60_000);
});
