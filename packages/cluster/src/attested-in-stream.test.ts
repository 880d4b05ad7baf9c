import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { hash } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { Proposer } from '@oddlot/replica/proposer';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { note, openClusterLog, openTestStream } from '@oddlot/testing/venue/nats/open-cluster-log';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import { attestedInStream } from './stream-facts.ts';

const nats = withNatsServer();
const BLOCK = hash(`0x${'ab'.repeat(32)}`);
const [FIRST, SECOND] = [hash(`0x${'c1'.repeat(32)}`), hash(`0x${'c2'.repeat(32)}`)];

describe.skipIf(!hasNatsServer)('R-snapshots: the attestation of a snapshot in a stream', () => {
  test("a stream is searched for a snapshot's attestation only after the snapshot's block", () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const stream = await openTestStream(nats.urls, cluster);
      expect(await attestedInStream(stream, 1)).toBeUndefined();
      const proposers: Proposer[] = [];
      const one = await openClusterLog({
        urls: nats.urls,
        cluster,
        directory: join(folder, 'a'),
        onEntry: ({ proposal, seq }) => proposers[0]?.applied(proposal, applied(seq)),
      });
      const proposer = new Proposer(one.log);
      proposers.push(proposer);
      const attest = (height: number, snapshot?: typeof FIRST) =>
        proposer.propose({
          command: { type: 'attest', height, hash: BLOCK, ...(snapshot && { snapshot }) },
        });
      await proposer.propose(note('block 1')[0]!);
      await attest(1);
      await attest(1, FIRST);
      await attest(2, SECOND);
      await proposer.propose(note('block 5')[0]!);
      expect(await attestedInStream(stream, 1)).toBe(FIRST);
      expect(await attestedInStream(stream, 2)).toBe(SECOND);
      // An attestation in the block itself or in an earlier one cannot belong to the block's
      // snapshot.
      expect(await attestedInStream(stream, 3)).toBeUndefined();
      expect(await attestedInStream(stream, 5)).toBeUndefined();
      expect(await attestedInStream(stream, 99)).toBeUndefined();
      await one.close();
      await stream.close();
    }));
});

function applied(height: number): never {
  return { height, result: { outcomes: [{}] } } as never;
}
