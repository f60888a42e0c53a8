/** Longest text of a programme file. 200 rules that name a few dozen goods each take a quarter of it. */
export const MAX_PROGRAMME_CHARACTERS = 1_048_576;
/** Evaluation of more rules would take too long at the till (loyalty-model 10). */
export const MAX_RULES = 200;
/** Largest number of tiers. Nobody can explain more of them to buyers. */
export const MAX_TIERS = 20;
/** Largest number of ids in one list: of a rule, or of the goods that points cannot pay for. */
export const MAX_IDS = 1_000;
/** Longest id of a product, folder, point of sale or rule, and longest name of a group or tier. */
export const MAX_NAME_LENGTH = 100;
/** Largest number of hour ranges in one rule: one for each hour of the day. */
export const MAX_HOUR_RANGES = 24;
/** Largest number of days until points become active or expire, and of days of grace: ten years. */
export const MAX_DAYS = 3_660;
/** Largest number of months that points live on after the end of a month, quarter or year: ten years. */
export const MAX_MONTHS = 120;
/** Longest message of a rule: it is printed on a receipt. */
export const MAX_MESSAGE_LENGTH = 300;
/** The largest number of points that one rule or setting may name; balances stay far below what a double holds exactly. */
export const MAX_POINTS = 1_000_000_000;
/** Largest factor of a tier or rule. */
export const MAX_FACTOR_HUNDREDTHS = 10_000;
/** A point is worth at most a thousand roubles. */
export const MAX_POINT_VALUE_KOPECKS = 100_000;
/**
 * The largest number of points that one sale earns or spends. The contract takes no larger number in a sale, so a quote must not offer one.
 */
export const MAX_MOVED_POINTS = 100_000_000;
