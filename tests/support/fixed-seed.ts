import fc from 'fast-check';

/**
 * The suite uses the same seed in every run, so that failures are reproducible. FC_SEED sets
 * another one, for example in a nightly run; a failing case becomes an example of its test.
 */
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_115) });
