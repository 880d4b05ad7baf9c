import { fileURLToPath } from 'node:url';

/** The entry files of the validator and of the folder check, for processes that start them. */
export const VALIDATOR_PROGRAM: string = fileURLToPath(
  new URL('./validator/main.ts', import.meta.url),
);
export const VERIFY_PROGRAM: string = fileURLToPath(new URL('./verify/main.ts', import.meta.url));
