import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { hash } from '@oddlot/units';
import { expect, test } from 'vitest';
import { PinnedHead } from './own-snapshots.ts';

test('the newest block that a signature was based on is on disk, and is never replaced by an older one', async () => {
  await inDirectory(async (directory) => {
    const file = join(directory, 'signed-head');
    const [five, nine] = [hash(`0x${'05'.repeat(32)}`), hash(`0x${'09'.repeat(32)}`)];
    const pinned = new PinnedHead(file);
    expect(pinned.head).toBeUndefined();
    pinned.pin({ height: 9, hash: nine });
    pinned.pin({ height: 5, hash: five });
    expect(pinned.head).toEqual({ height: 9, hash: nine });
    expect(new PinnedHead(file).head).toEqual({ height: 9, hash: nine });
    writeFileSync(file, '9:0x09\n');
    expect(() => new PinnedHead(file)).toThrow(/signed-head, which .* is damaged/);
  });
});
