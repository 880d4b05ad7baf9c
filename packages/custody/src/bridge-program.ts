import { fileURLToPath } from 'node:url';

/** The file that runs as the commands of a bridge, for who starts one in its place. */
export const BRIDGE_PROGRAM: string = fileURLToPath(new URL('./bridge/main.ts', import.meta.url));
