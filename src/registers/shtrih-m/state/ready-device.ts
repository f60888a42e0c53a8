import type { KnownDevice } from "../identity/identity.ts";
import type { Connection } from "../session/connection.ts";
import type { View } from "./view.ts";

/** A device that is ready for a document: the connection to it, its identity, and how it stands. */
export interface ReadyDevice {
  connection: Connection;
  known: KnownDevice;
  /** How the device stood just before the document. */
  view: View;
  /** The drawer as the last `inspect` reported it, where nothing was made since. */
  reportedDrawerKopecks?: number;
}
