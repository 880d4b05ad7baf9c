import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends a test run with one plain line, `12 passed, 0 failed`, without colours and alone on its line,
 * for people and programs that read the log of a build from its end. It changes no exit code.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    // A file that could not be loaded and an error outside of any test are failures too.
    let failed = errors.length;
    for (const testModule of modules) {
      failed += testModule.errors().length;
      for (const test of testModule.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        if (state === 'failed') failed++;
      }
    }
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  }
}
