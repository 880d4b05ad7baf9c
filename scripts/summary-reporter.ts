import { readFileSync } from 'node:fs';
import { NATS_SERVER_REQUIRED } from '../packages/cluster/src/servers/find-nats-server.ts';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** The code that marks tests as requiring a NATS server. */
const ASKS_FOR_NATS = 'skipIf(!hasNatsServer)';

/**
 * Ends a test run with one plain line, such as `12 passed, 0 failed`, without colours, for people
 * and programs that read a build log from the end. The line above it shows how many tests were
 * skipped because there was no NATS server. The exit code does not change.
 */
export default class SummaryReporter implements Reporter {
  #isPartial = false;

  onInit(vitest: Pick<Vitest, 'config'>): void {
    // If tests are selected by name, all others are counted as skipped.
    this.#isPartial = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let wanting = 0;
    // A file that cannot be loaded counts as a failure, as does an error outside a test.
    let failed = errors.length;
    for (const testModule of modules) {
      failed += testModule.errors().length;
      const isWanting = !this.#isPartial && asksForNats(testModule);
      for (const test of testModule.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        if (state === 'failed') failed++;
        if (state === 'skipped' && isWanting) wanting++;
      }
    }
    if (wanting > 0) process.stdout.write(`\n${wanting} skipped: ${NATS_SERVER_REQUIRED}\n`);
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  }
}

function asksForNats({ moduleId }: TestModule): boolean {
  return readFileSync(moduleId, 'utf8').includes(ASKS_FOR_NATS);
}
