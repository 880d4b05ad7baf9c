import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { BRIDGE_BYTECODE } from './outputs/bridge.ts';

const WRITE_OUTPUTS = join(import.meta.dirname, 'build', 'write-outputs.ts');
/**
 * A contract larger than this cannot be deployed (EIP-170). The deployed code is shorter than the
 * creation code, which is measured here.
 */
const CODE_BYTES_MAX = 24_576;

test('a fresh build of the sources produces the stored ABI and bytecode', async () => {
  // The build runs in a separate process, because the compiler is large and would stay in memory.
  const run = promisify(execFile)(process.execPath, [WRITE_OUTPUTS, '--check']);
  const { stdout, stderr } = await run;
  expect(stderr).toBe('');
  expect(stdout.match(/bytes to deploy/g)).toHaveLength(3);
});

test('the bridge is small enough to be deployed', () => {
  expect((BRIDGE_BYTECODE.length - 2) / 2).toBeLessThan(CODE_BYTES_MAX);
});
