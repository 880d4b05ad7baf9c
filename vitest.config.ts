import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'tests/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
    ],
    // Most files wait for a venue of their own, so two of them share the cores well.
    maxWorkers: 2,
    setupFiles: ['tests/support/fixed-seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
