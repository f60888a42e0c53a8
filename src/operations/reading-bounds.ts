/**
 * Bounds for the documents of a drive that are read for one purpose. Each read takes 50 ms to a second, and the register makes no document
 * meanwhile. Each purpose therefore has a small bound of its own.
 */

/**
 * The number of documents read after the checkpoint of a doubt. Only one document is in question. A larger number proves another user of
 * the register.
 */
export const READ_AFTER_DOUBT = 16;

/**
 * The number of documents read after the checkpoint of an attempt that counts as refused. The lane sent nothing until the doubt ended.
 * Few documents can precede the document in question: an automatic report of the device, and the document that stopped the lane.
 */
export const READ_FOR_EARLIER_ATTEMPT = 4;

/**
 * The number of documents unknown to the journal that one turn reads. A busy till makes about as many documents in a day. At 50 ms each,
 * 500 documents take 25 s; the tills still get an answer within nine seconds, and repeat. While more documents are left, sales are refused.
 * In a drive new to the journal, only the last 500 documents are read.
 */
export const READ_IN_A_TURN = 500;

/**
 * The time after which a turn leaves further documents to later turns. Over a slow line a document takes a second. 500 documents would
 * block the lane for more than eight minutes, also for closings and reports.
 */
export const READ_IN_A_TURN_MS = 60_000;

/**
 * The number of documents read on either side of a receipt to find its second copy. A copy is made within minutes of the doubt. Even a
 * busy shop makes fewer documents in that time.
 */
export const READ_AROUND_A_RECEIPT = 24;

/**
 * The largest number of requests for one unread document since the process began. After them the reading of the drive requests the document
 * only now and then (`GIVEN_UP_AGAIN_MS`), because the document may be unreadable for ever. Two kinds of requests go on: requests for a
 * document that delays sales, and requests by the repeat of a refused operation that may have made this document.
 */
export const MAX_REQUESTS = 10;

/**
 * The time after which a turn requests given up documents again. The line may be good by then, and the platform may repeat a lost sale
 * late.
 */
export const GIVEN_UP_AGAIN_MS = 60_000;

/**
 * The largest number of turns that are refused while a reachable register does not return a document, or does not show its drive's end.
 * After these turns, documents that were requested in vain no longer delay sales, until the process ends. Turns in quick succession count
 * as one (`TURNS_APART_MS`).
 */
export const MAX_TURNS_REFUSED = 5;

/**
 * A turn counts as refused only this long after the last counted turn. Otherwise five tills that wait at once would use up the turns within
 * a second, and a document that the register hides for some seconds would be registered again. With this time a document delays sales for
 * at least 20 s. A register that has restarted, or whose drive was busy, returns its documents again within that time.
 */
export const TURNS_APART_MS = 5_000;

/**
 * The time for one request of a document that delays sales; the first request has less time. A document takes about twenty messages. On a
 * line that loses or delays every twentieth message a document took 16 s, although the register answers each short request at once.
 */
export const WAITED_FOR_LIMIT_MS = 30_000;
