import type { ScreenEntry } from '../../lib/screen-entry.ts';

/** Not linked from anywhere: for who works on the page, and for the tests that look at it. */
export const screens: readonly ScreenEntry[] = [
  { path: '/gallery', load: () => import('./gallery-screen.tsx') },
];
