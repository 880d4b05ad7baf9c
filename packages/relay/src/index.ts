/** The entry point of the relay: its program, its settings, and the keys of a local relay. */
export { localSeed } from './relay-keys.ts';
export { RELAY_SETTINGS } from './relay-settings.ts';
export { NEEDS_OPERATOR, RELAY_PROGRAM } from './relay-program.ts';
