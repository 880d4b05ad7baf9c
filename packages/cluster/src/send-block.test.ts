import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { note, noted, openClusterLog } from '@oddlot/testing/venue/nats/open-cluster-log';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';

const nats = withNatsServer();

describe.skipIf(!hasNatsServer)('a block that is sent to the stream', () => {
  test('a block that a server has confirmed but lost is resent under another id', () =>
    inDirectory(async (folder) => {
      const swallowed: string[] = [];
      const one = await openClusterLog({
        urls: nats.urls,
        cluster: randomUUID(),
        directory: join(folder, 'a'),
        wrap: (stream) => {
          const publish = stream.publish.bind(stream);
          stream.publish = async (id, message) => {
            if (swallowed.length > 0) return publish(id, message);
            swallowed.push(id);
            return undefined;
          };
          return stream;
        },
      });
      await one.log.append(note('confirmed'), 'p:1');
      await one.log.append(note('next'), 'p:2');
      expect(swallowed).toEqual(['p:1:0']);
      expect(one.entries.map(noted)).toEqual(['confirmed', 'next']);
      await one.close();
    }));
});
