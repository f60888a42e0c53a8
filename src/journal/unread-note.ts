import { isTrade, type RegisterDocument } from "../model/document.ts";
import { unreadMarksOf, unreadPlaces } from "../model/unread-marks.ts";

/** For the state a thing whose mark could not be read stays in circulation: whoever asks about the entry learns it. Never the mark. */
export function unreadNote(document: RegisterDocument): string | undefined {
  const unread = isTrade(document) ? unreadMarksOf(document.lines) : [];
  return unread.length === 0 ? undefined : `marks that could not be read, in positions ${unreadPlaces(unread)}`;
}
