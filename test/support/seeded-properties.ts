import fc from "fast-check";

/**
 * The seed of all property tests. It is always the same, because a case that a new seed finds says nothing about the change that is just
 * tested. PROPERTY_SEED tries another one, and a case that it finds becomes a test of its own.
 */
const SEED = 20_261_130;

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PROPERTY_SEED ?? SEED) });
