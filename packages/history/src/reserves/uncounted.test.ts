import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MIB = 2 ** 20;

/**
 * The measurement runs in its own process, because garbage from other tests can be collected at any
 * moment.
 */
const PROGRAM = `
  import { uncounted } from ${JSON.stringify(new URL('tree-file.ts', import.meta.url).href)};
  const counted = () => process.memoryUsage().external;
  const before = counted();
  const shared = Buffer.from(uncounted(${100 * MIB}));
  const between = counted();
  const own = Buffer.alloc(${100 * MIB});
  const after = counted();
  const held = shared.length + own.length;
  console.log(JSON.stringify({ held, uncounted: between - before, buffer: after - between }));
`;

test('uncounted memory does not count towards garbage collection, unlike a buffer', async () => {
  const flags = ['--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  const { buffer, held, uncounted } = JSON.parse(stdout) as Readonly<Record<string, number>>;
  expect(held).toBe(200 * MIB);
  expect(uncounted).toBeLessThan(10 * MIB);
  expect(buffer).toBeGreaterThan(90 * MIB);
});
