import type { Entry } from "../journal/entry.ts";
import type { Log } from "../kernel/log.ts";
import { isTrade } from "../model/document.ts";
import { unreadMarksOf } from "../model/unread-marks.ts";
import type { Metrics } from "./metrics.ts";

/** Counts the unread marks of a registered document, and logs their positions, but never the marks. */
export function tellUnreadMarks({ log, metrics }: { log: Log; metrics: Pick<Metrics, "countUnreadMarks"> }, entry: Entry): void {
  const { id, key, document } = entry;
  const unread = isTrade(document) ? unreadMarksOf(document.lines) : [];
  if (unread.length === 0) return;
  metrics.countUnreadMarks(key.operation, unread.length);
  const positions = unread.map(({ line, problem }) => ({ line: line + 1, problem }));
  const { accountId, documentId } = key;
  log.warn({ entry: id, accountId, document: documentId, positions }, "things were registered under marking codes that could not be read");
}
