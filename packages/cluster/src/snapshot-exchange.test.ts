import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import { SnapshotExchange } from './snapshot-exchange.ts';

const nats = withNatsServer();

const nameOf = (height: number): string => `snapshot-${String(height).padStart(16, '0')}.bin`;

test.skipIf(!hasNatsServer)(
  'a joining replica gets the newest snapshot of all replicas, byte for byte, and old ones are removed',
  () =>
    inDirectory(async (folder) => {
      const options = { cluster: randomUUID(), replicas: 1 };
      const exchange = await SnapshotExchange.open(nats.connection, options);
      const [own, other] = [join(folder, 'a'), join(folder, 'b')];
      expect(await exchange.fetchNewest(other)).toBeUndefined();
      await mkdir(own, { recursive: true });
      const bytes = randomBytes(3_000_000);
      for (const height of [100, 300, 200]) {
        const path = join(own, nameOf(height));
        await writeFile(path, height === 300 ? bytes : randomBytes(1_000));
        await exchange.offer(path);
      }
      const joining = await SnapshotExchange.open(nats.connection, options);
      const fetched = await joining.fetchNewest(other);
      expect(fetched).toEqual({ height: 300, path: join(other, nameOf(300)) });
      expect((await readFile(fetched!.path)).equals(bytes)).toBe(true);
      expect(await readdir(other)).toEqual([nameOf(300)]);
      expect(await joining.fetchNewest(other)).toEqual(fetched);
    }),
);

test.skipIf(!hasNatsServer)(
  'a snapshot that never arrives is abandoned, and the previous one is used',
  () =>
    inDirectory(async (folder) => {
      const options = { cluster: randomUUID(), replicas: 1, pieceMsMax: 200 };
      const exchange = await SnapshotExchange.open(nats.connection, options);
      const store = `oddlot-${options.cluster}-snapshots`;
      const manager = await jetstreamManager(nats.connection);
      const own = join(folder, 'a');
      await mkdir(own, { recursive: true });
      for (const height of [100, 200]) {
        await writeFile(join(own, nameOf(height)), randomBytes(300_000));
        await exchange.offer(join(own, nameOf(height)));
      }
      // The content is removed between the query and the first piece, so there is nothing to send
      // and no error.
      const objects = await new Objm(jetstream(nats.connection)).open(store);
      const newest = await objects.info(nameOf(200));
      await manager.streams.purge(`OBJ_${store}`, { filter: `$O.${store}.C.${newest!.nuid}` });
      const other = join(folder, 'b');
      const fetched = await exchange.fetchNewest(other);
      expect(fetched).toEqual({ height: 100, path: join(other, nameOf(100)) });
      expect(await readFile(fetched!.path)).toEqual(await readFile(join(own, nameOf(100))));
    }),
);
