import { REGISTER_PROTOCOLS } from "../../registers/catalogue.ts";

/** The emulators of one process have their memory in its own folder, so no other process could take them over. */
export const SHARED_PROTOCOLS = REGISTER_PROTOCOLS.filter(({ schemes }) => !schemes.includes("emulator"));
