/** The door of the relay: its program, and the keys of a local one. */
export { localSeed } from './relay-keys.ts';
export { NEEDS_OPERATOR, RELAY_PROGRAM } from './relay-program.ts';
