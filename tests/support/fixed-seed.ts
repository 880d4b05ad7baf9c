import fc from 'fast-check';

/**
 * The suite draws the same histories every time: a red build is then a broken build, and never luck.
 * FC_SEED explores others, in a loop over night for example; what it finds becomes an example of the
 * test that found it.
 */
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_115) });
