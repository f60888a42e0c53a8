/** A programme of 200 rules with a few dozen goods each uses a quarter of it. */
export const MAX_PROGRAMME_CHARACTERS = 1_048_576;
/** Evaluating more rules would take too long at the till (loyalty-model 10). */
export const MAX_RULES = 200;
/** Nobody can explain more tiers to buyers. */
export const MAX_TIERS = 20;
/** Ids in one list: of a rule, or of the goods that points cannot pay for. */
export const MAX_IDS = 1_000;
/** Longest id of a product, folder, point of sale or rule, and longest name of a group or tier. */
export const MAX_NAME_LENGTH = 100;
/** Hour ranges of one rule: one for each hour of the day. */
export const MAX_HOUR_RANGES = 24;
/** Days until points become active or expire, and days of grace: ten years. */
export const MAX_DAYS = 3_660;
/** Months that points stay valid after the end of a month, quarter or year: ten years. */
export const MAX_MONTHS = 120;
/** The message is printed on a receipt. */
export const MAX_MESSAGE_LENGTH = 300;
/** The largest number of points in one rule or setting. Balances stay far below the largest exact double. */
export const MAX_POINTS = 1_000_000_000;
export const MAX_FACTOR_HUNDREDTHS = 10_000;
/** A thousand roubles. */
export const MAX_POINT_VALUE_KOPECKS = 100_000;
/** Points that one sale earns or spends. The contract refuses larger numbers in a sale, so a quote must not offer them. */
export const MAX_MOVED_POINTS = 100_000_000;
