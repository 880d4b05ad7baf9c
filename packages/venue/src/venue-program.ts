import { fileURLToPath } from 'node:url';

/** The file that starts a venue as a child process. */
export const VENUE_PROGRAM: string = fileURLToPath(new URL('./main.ts', import.meta.url));
