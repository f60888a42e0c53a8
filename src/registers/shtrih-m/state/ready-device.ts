import type { KnownDevice } from "../identity/identity.ts";
import type { Connection } from "../session/connection.ts";
import type { View } from "./view.ts";

/** A device that is ready for a document: its connection, identity and state. */
export interface ReadyDevice {
  connection: Connection;
  known: KnownDevice;
  /** The state of the device just before the document. */
  view: View;
  /** The cash in the drawer as the last `inspect` reported it. Absent when a document was made since. */
  reportedDrawerKopecks?: number;
  /** Whether the document may be registered (`Attempt.mayRegister`). Asked right before the registering command. */
  mayRegister(): Promise<boolean>;
}
