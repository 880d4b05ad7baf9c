import { fileURLToPath } from 'node:url';

/** The file that starts a relay as a child process. */
export const RELAY_PROGRAM: string = fileURLToPath(new URL('./main.ts', import.meta.url));

/** The exit code if a file is missing, damaged or foreign (EX_CONFIG in sysexits.h). */
export const NEEDS_OPERATOR = 78;
