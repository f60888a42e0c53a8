/** The largest length of a programme. A programme of 200 rules with a few dozen goods each needs a quarter of this length. */
export const MAX_PROGRAMME_CHARACTERS = 1_048_576;
/** The largest number of rules. Evaluating more rules would take too long at the till (loyalty-model 10). */
export const MAX_RULES = 200;
/** The largest number of tiers. Nobody can explain more tiers to buyers. */
export const MAX_TIERS = 20;
/** The largest number of ids in one list: the goods or the points of sale of a rule, or the goods that points cannot pay for. */
export const MAX_IDS = 1_000;
/** The longest id of a product, folder, point of sale or rule, and the longest name of a programme, group or tier. */
export const MAX_NAME_LENGTH = 100;
/** The largest number of hour ranges of one rule: one for each hour of the day. */
export const MAX_HOUR_RANGES = 24;
/** The largest number of days until points become active or expire, and of days of grace: ten years. */
export const MAX_DAYS = 3_660;
/** The largest number of months that points stay valid after the end of a month, quarter or year: ten years. */
export const MAX_MONTHS = 120;
/** The longest message of a rule. It is printed on a receipt. */
export const MAX_MESSAGE_LENGTH = 300;
/** The largest number of points in one rule or setting. Balances stay far below the largest exact double. */
export const MAX_POINTS = 1_000_000_000;
export const MAX_FACTOR_HUNDREDTHS = 10_000;
/** The largest value of one point: a thousand roubles. */
export const MAX_POINT_VALUE_KOPECKS = 100_000;
/**
 * The largest number of points that one sale earns or spends. The contract refuses a sale with more points, so a quote must not offer more.
 */
export const MAX_MOVED_POINTS = 100_000_000;
