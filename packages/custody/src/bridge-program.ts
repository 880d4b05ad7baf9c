import { fileURLToPath } from 'node:url';

/** The file that runs the bridge commands as a child process. */
export const BRIDGE_PROGRAM: string = fileURLToPath(new URL('./bridge/main.ts', import.meta.url));
