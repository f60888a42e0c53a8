/**
 * Bounds for the number of documents of a drive that are read for one purpose. Each read takes 50 ms to a second, and
 * the register makes no document meanwhile. So each purpose has its own bound, which is as small as possible.
 */

/**
 * The number of documents read after the checkpoint of a doubt. Only one document is in question. More documents than this prove that
 * somebody else uses the register.
 */
export const READ_AFTER_DOUBT = 16;

/**
 * The number of documents read after the checkpoint of an attempt that counts as refused. The lane stood still until the doubt ended. So
 * only few documents can precede the document in question: a report that the device made by itself, and the document that stopped the lane.
 */
export const READ_FOR_EARLIER_ATTEMPT = 4;

/**
 * The number of documents unknown to the journal that are read in one turn. A till makes fewer in a day. At 50 ms each they take 25 s. The
 * tills are answered within nine seconds all the same, and repeat. When there are more documents, sales are refused until all are read. In
 * a drive that is new to the journal, only the last 500 are read.
 */
export const READ_IN_A_TURN = 500;

/**
 * Time after which a turn leaves further documents to later turns. Over a slow line a document takes a second, and 500 of them
 * would keep every operation of the lane for more than eight minutes, closings and reports too.
 */
export const READ_IN_A_TURN_MS = 60_000;

/**
 * The number of documents read on either side of a receipt, to find a second copy of it. A copy is made within minutes of the doubt. Even a
 * busy shop makes fewer documents in that time.
 */
export const READ_AROUND_A_RECEIPT = 24;
