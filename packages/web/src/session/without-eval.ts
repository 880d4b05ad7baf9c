import { config } from 'zod';

/** Schemas make themselves faster by `eval` when they are made, which the policy of the page forbids. */
config({ jitless: true });

export const withoutEval = true;
