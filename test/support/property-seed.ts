import fc from "fast-check";

/** With another number the property tests try other values: `PROPERTY_SEED=7 npm test`. */
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_128);

// Every run tries the same values, so a run that fails shows a fault of its change and not of an older one.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
