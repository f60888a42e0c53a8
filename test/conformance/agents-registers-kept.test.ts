import { expect, it } from "vitest";
import { acceptDevice, compareDevice, keepRegisters, MAX_KEPT_REGISTERS } from "../../src/agents/pins.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";

const ONE = { serialNumber: "0001", driveNumber: "9999078900000001" };
const OTHER = { serialNumber: "0002", driveNumber: "9999078900000002" };
/** The largest number of registers that an agent may name. */
const AT_ONCE = 20;

for (const kind of DATABASE_KINDS) {
  describeDatabase("the registers of agents", kind, () => {
    it("stay few when an agent names others at each connection, and no device is forgotten", async () => {
      const database = await kind.make();
      try {
        const store = await database.open();
        const named = (register: string) => ({ name: register, scheme: "emulator" });
        await keepRegisters(store, "shop", [named("main"), named("second"), named("without-device")]);
        await keepRegisters(store, "neighbour", [named("quiet")]);
        await compareDevice(store, { name: "shop", register: "main" }, ONE);
        await compareDevice(store, { name: "shop", register: "second" }, ONE);
        await compareDevice(store, { name: "shop", register: "second" }, OTHER);
        const names = async () =>
          (await store.db.selectFrom("agent_registers").select(["name", "register"]).where("name", "=", "shop").execute()).map(
            ({ register }) => register,
          );
        for (let time = 0; time < 12; time += 1) {
          const hello = Array.from({ length: AT_ONCE }, (_, nth) => `r${time}-${nth}`);
          await keepRegisters(store, "shop", hello.map(named));
          const kept = await names();
          expect(kept).toEqual(expect.arrayContaining(["main", "second", ...hello]));
          expect(kept.length).toBeLessThanOrEqual(MAX_KEPT_REGISTERS);
          expect(kept.includes("without-device")).toBe(time < 4);
        }
        expect(await compareDevice(store, { name: "shop", register: "main" }, ONE)).toEqual({ kind: "same" });
        expect(await store.commit((tx) => acceptDevice(tx, { name: "shop", register: "second" }))).toEqual(OTHER);
        expect(await store.db.selectFrom("agent_registers").select("register").where("name", "=", "neighbour").execute()).toEqual([
          { register: "quiet" },
        ]);
      } finally {
        await database.drop();
      }
    });
  });
}
