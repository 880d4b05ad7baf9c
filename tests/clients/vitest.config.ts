import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * `npm run test:clients` runs tests that use clients which are not dependencies of this repository.
 */
export default defineConfig({
  resolve: {
    // The sources of packages/ccxt import a package that only this folder has.
    alias: { ccxt: join(import.meta.dirname, 'node_modules/ccxt/js/ccxt.js') },
  },
  test: {
    root: import.meta.dirname,
    include: ['**/*.clients.ts'],
    exclude: ['node_modules'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
