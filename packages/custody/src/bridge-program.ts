import { fileURLToPath } from 'node:url';

/** The file to run for the bridge commands as a child process. */
export const BRIDGE_PROGRAM: string = fileURLToPath(new URL('./bridge/main.ts', import.meta.url));
