import fc from 'fast-check';

/**
 * All runs use the same seed, so that failures are reproducible. FC_SEED sets a different seed, for
 * example in a nightly run. Add each failing case to its test as an example.
 */
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_115) });
