import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as turnOver } from 'node:timers/promises';
import { inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import type { AppliedBlock, LogEntry } from '@oddlot/replica/block';
import { Proposer } from '@oddlot/replica/proposer';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { note, noted, openClusterLog } from '@oddlot/testing/venue/nats/open-cluster-log';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import type { BlockStream } from './block-stream.ts';

const nats = withNatsServer();

describe.skipIf(!hasNatsServer)('a stream whose last block is briefly missing', () => {
  test('a replica continues when its stream is complete again, although blocks were in flight', () =>
    inDirectory(async (folder) => {
      const servers = { areShort: false };
      const proposers: Proposer[] = [];
      const one = await openClusterLog({
        urls: nats.urls,
        cluster: randomUUID(),
        directory: join(folder, 'a'),
        wrap: (stream) => shortWhile(stream, servers),
        onEntry: (entry) => apply(proposers, entry),
      });
      const proposer = new Proposer(one.log);
      proposers.push(proposer);
      const propose = (text: string) => proposer.propose(note(text)[0]!);
      await propose('1');
      servers.areShort = true;
      const onTheirWay: Promise<unknown>[] = [];
      for (const text of ['2', '3']) {
        onTheirWay.push(propose(text));
        await turnOver();
      }
      expect(proposer.inFlight).toBe(2);
      for (const each of onTheirWay) await expect(each).rejects.toThrow('lost blocks 1 to 1');
      await expect(propose('4')).rejects.toThrow('lost blocks 1 to 1');
      servers.areShort = false;
      await expect.poll(() => one.log.trouble(), { timeout: 20_000 }).toBeUndefined();
      for (const text of ['5', '6']) await propose(text);
      expect(one.entries.map(noted)).toEqual(['1', '5', '6']);
      expect(one.lost).toHaveLength(1);
      await proposer.drain();
      await one.close();
    }));
});

function apply(proposers: readonly Proposer[], { commands, proposal }: LogEntry): void {
  const result = { outcomes: commands.map(() => ({})) };
  for (const each of proposers) each.applied(proposal, { result } as unknown as AppliedBlock);
}

/** Simulates servers whose leader does not have the last block yet and rejects new ones. */
function shortWhile(stream: BlockStream, servers: { readonly areShort: boolean }): BlockStream {
  const { end, publish } = { end: stream.end.bind(stream), publish: stream.publish.bind(stream) };
  stream.end = async () => {
    const { lastPlace, ...answer } = await end();
    return { ...answer, lastPlace: servers.areShort ? lastPlace - 1 : lastPlace };
  };
  stream.endByRefusal = async () => (await stream.end()).lastPlace;
  stream.publish = (id, message) =>
    servers.areShort ? Promise.reject(new Error('no answer')) : publish(id, message);
  return stream;
}
