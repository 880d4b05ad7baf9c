import { defineConfig } from 'vitest/config';

/** `npm run test:clients` runs tests with clients that are not dependencies of this repository. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.clients.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
