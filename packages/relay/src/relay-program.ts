import { fileURLToPath } from 'node:url';

/** The file that runs as a relay, for who starts one beside itself. */
export const RELAY_PROGRAM: string = fileURLToPath(new URL('./main.ts', import.meta.url));

/** It ends with this where a file is missing, damaged or foreign (EX_CONFIG of sysexits.h). */
export const NEEDS_OPERATOR = 78;
