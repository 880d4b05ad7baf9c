import { fileURLToPath } from 'node:url';

/** The file that runs as a relay, for who starts one beside itself. */
export const RELAY_PROGRAM: string = fileURLToPath(new URL('./main.ts', import.meta.url));
