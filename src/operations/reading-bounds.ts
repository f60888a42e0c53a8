/*
 * How many documents of a drive are read for one question. A register needs 50 ms to a second for each and makes no document
 * meanwhile, so that each question reads as few as can answer it; what more there is means something else each time.
 */

/** Behind a checkpoint, for a document in doubt: one is at stake, and more than this many prove foreign use. */
export const READ_AFTER_DOUBT = 16;

/**
 * Behind the checkpoint of an attempt that counts as refused. Its lane stood still until the doubt was ended, so ours comes
 * first, behind what the device opened or closed by itself and what stopped the lane.
 */
export const READ_FOR_EARLIER_ATTEMPT = 4;

/**
 * In one turn, of those that the journal does not know: at 50 ms each that takes less than half a minute. A till makes fewer
 * in a day; where there are more, sales are refused until all have been read. So many are read of a drive of which nothing is
 * known.
 */
export const READ_IN_A_TURN = 500;

/**
 * On either side of a receipt, for a second copy of it. A copy was made within the minutes of its doubt: a busy shop makes no
 * more documents meanwhile.
 */
export const READ_AROUND_A_RECEIPT = 24;
