import { REGISTER_PROTOCOLS } from "../../registers/catalogue.ts";

/** The protocols without emulators: an emulator's memory is in one process's folder, so no other process could take the emulator over. */
export const SHARED_PROTOCOLS = REGISTER_PROTOCOLS.filter(({ schemes }) => !schemes.includes("emulator"));
