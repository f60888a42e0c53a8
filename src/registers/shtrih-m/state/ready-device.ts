import type { KnownDevice } from "../identity/identity.ts";
import type { Connection } from "../session/connection.ts";
import type { View } from "./view.ts";

/** A device that is ready for a document. */
export interface ReadyDevice {
  connection: Connection;
  known: KnownDevice;
  view: View;
  /** The drawer's cash in the last `inspect`. Absent: that `inspect` did not reach the device, or a `perform` came after it. */
  reportedDrawerKopecks?: number;
  /** Whether the document may be registered (`Attempt.mayRegister`). Asked right before the registering command. */
  mayRegister(): Promise<boolean>;
}
