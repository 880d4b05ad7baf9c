import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { FileJournal } from '@oddlot/replica/log/file-journal';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import {
  all,
  note,
  noted,
  openClusterLog,
  openTestStream,
} from '@oddlot/testing/venue/nats/open-cluster-log';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import { writeStream } from './write-stream.ts';

const nats = withNatsServer();

test.skipIf(!hasNatsServer)(
  'blocks written from a folder count for a replica that begins after a snapshot, and are never disputed',
  () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const clock = { nowMs: () => 1_000 };
      const journal = await FileJournal.open({ directory: join(folder, 'a'), clock });
      for (const text of ['1', '2', '3']) await journal.append(note(text));
      const stream = await openTestStream(nats.urls, cluster);
      await writeStream({ stream, journal, serviceNetwork: 'Test', nowMs: 1_000 });
      await stream.close();
      await journal.close();
      const one = await openClusterLog({ urls: nats.urls, cluster, directory: join(folder, 'a') });
      const begin = { seq: 1, timeMs: 1_000 };
      const joined = await openClusterLog({
        urls: nats.urls,
        cluster,
        directory: join(folder, 'b'),
        begin,
      });
      await joined.log.append(note('4'));
      await one.log.append(note('5'));
      for (const [each, from] of [
        [one, 0],
        [joined, 1],
      ] as const) {
        await all(each, 5 - from);
        expect(each.entries.map(noted)).toEqual(['1', '2', '3', '4', '5'].slice(from));
        expect(each.lost).toEqual([]);
        await each.close();
      }
    }),
);
