import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { connectionsFor, descriptorLimit } from './process.ts';

test.each([
  [1024, 864],
  [65_536, 65_376],
  [200, 100],
  [1, 1],
])('a limit of %i descriptors allows %i connections', (descriptors, connections) => {
  expect(connectionsFor(descriptors)).toBe(connections);
});

test('the descriptor limit is the limit that applies to the process', () => {
  const program = `import { descriptorLimit } from '${import.meta.dirname}/process.ts';
    process.stdout.write(String(descriptorLimit()));`;
  const command = 'ulimit -n 333 && exec "$0" --input-type=module -e "$1"';
  const output = execFileSync('/bin/sh', ['-c', command, process.execPath, program]);
  expect(output.toString()).toBe('333');
  expect(descriptorLimit()).toBeGreaterThan(0);
});
