import { fileURLToPath } from 'node:url';

/** The files that run as a validator, and as the commands of a bridge, for who starts one in its place. */
export const VALIDATOR_PROGRAM: string = fileURLToPath(
  new URL('./validator/main.ts', import.meta.url),
);
export const BRIDGE_PROGRAM: string = fileURLToPath(new URL('./bridge/main.ts', import.meta.url));
