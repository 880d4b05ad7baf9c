import { fileURLToPath } from 'node:url';

/** The files that run as a validator, and as the check of a data folder, for who starts one in its place. */
export const VALIDATOR_PROGRAM: string = fileURLToPath(
  new URL('./validator/main.ts', import.meta.url),
);
export const VERIFY_PROGRAM: string = fileURLToPath(new URL('./verify/main.ts', import.meta.url));
