import { fileURLToPath } from 'node:url';

/** The file that runs as a venue, for who starts one in its place. */
export const VENUE_PROGRAM: string = fileURLToPath(new URL('./main.ts', import.meta.url));
