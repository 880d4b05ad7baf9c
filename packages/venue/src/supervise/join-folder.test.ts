import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createState, dumpPacked } from '@oddlot/engine';
import { inDirectory } from '@oddlot/testing/host';
import { type Hash, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { GENESIS_HEAD } from '@oddlot/replica/block-hash';
import { ContentHasher, encodeSnapshot, type PackedPayload } from '@oddlot/replica/snapshot-codec';
import { joinFolder } from './data-folder.ts';

const HEIGHTS = [30, 20];

/** Creates a folder with two snapshots and no log, and returns the content hash of each. */
async function copied(data: string) {
  const directory = join(data, 'snapshots');
  await mkdir(directory, { recursive: true });
  const store = new SnapshotStore({ directory });
  const contents = new Map<number, Hash>();
  for (const height of HEIGHTS) {
    const head = { ...GENESIS_HEAD, height, timeMs: timeMs(height) };
    const state = dumpPacked(createState());
    const payload: PackedPayload = { rules: 4, head, heads: [head], state, companions: {} };
    const pieces = [...encodeSnapshot(payload)];
    await store.write({ height, pieces });
    const hasher = await ContentHasher.create();
    contents.set(height, hasher.of(payload, Buffer.concat(pieces)));
  }
  return contents;
}

type Joining = {
  readonly attested: readonly number[];
  readonly accepts?: number;
  readonly wrongly?: readonly number[];
  readonly firstSeq?: number;
};

function joined(data: string, contents: ReadonlyMap<number, Hash>, options: Joining) {
  const { accepts = 0, attested, firstSeq = 11, wrongly = [] } = options;
  const errors: object[] = [];
  const cluster = {
    firstSeq,
    snapshots: { fetchNewest: async () => undefined } as never,
    attested: async (height: number) =>
      wrongly.includes(height)
        ? (`0x${'ee'.repeat(32)}` as Hash)
        : attested.includes(height)
          ? contents.get(height)
          : undefined,
  };
  const log = { info: () => undefined, error: (what: object) => void errors.push(what) };
  const acceptSnapshot = contents.get(accepts);
  const begun = joinFolder({ acceptSnapshot, data }, cluster, log as never);
  return { begun, errors };
}

describe("R-snapshots: starting from another replica's snapshot", () => {
  test.each([
    { title: 'takes the newest that the log attests', joining: { attested: HEIGHTS }, seq: 30 },
    { title: 'passes over one that the log does not attest', joining: { attested: [20] }, seq: 20 },
    {
      title: 'passes over one whose content the log contradicts',
      joining: { attested: HEIGHTS, wrongly: [30] },
      seq: 20,
    },
    {
      title: 'takes one that its operator accepts',
      joining: { attested: [], accepts: 20 },
      seq: 20,
    },
    {
      title: 'reads the whole log where no snapshot is attested',
      joining: { attested: [], firstSeq: 1 },
      seq: undefined,
    },
  ])('$title', ({ joining, seq }) =>
    inDirectory(async (data) => {
      const contents = await copied(data);
      const { begun, errors } = joined(data, contents, joining);
      expect(await begun).toEqual(seq === undefined ? undefined : { seq, timeMs: seq });
      const refused = HEIGHTS.filter((height) => height > (seq ?? 0));
      expect(errors).toMatchObject(refused.map((height) => ({ height })));
      const left = (await readdir(join(data, 'snapshots'))).filter((name) => name.endsWith('.bin'));
      expect(left).toHaveLength(HEIGHTS.length - refused.length);
    }),
  );

  test('a replica moves a file out of the way if its checksum is valid but it is not a snapshot', () =>
    inDirectory(async (data) => {
      const contents = await copied(data);
      const store = new SnapshotStore({ directory: join(data, 'snapshots') });
      await store.write({ height: 30, pieces: [Buffer.from('{"head":null}')] });
      const { begun, errors } = joined(data, contents, { attested: HEIGHTS });
      expect(await begun).toEqual({ seq: 20, timeMs: 20 });
      expect(errors).toEqual([{ height: 30, why: 'it cannot be read' }]);
    }));

  test('a replica refuses to start if the log is incomplete, and names the flag that accepts the snapshot', () =>
    inDirectory(async (data) => {
      const contents = await copied(data);
      const { begun } = joined(data, contents, { attested: [] });
      const flag = `--accept-snapshot ${contents.get(30)}`;
      await expect(begun).rejects.toThrow(
        /^The log begins with block 11, .* block 30 was rejected/,
      );
      const again = joined(data, await copied(data), { attested: [] });
      await expect(again.begun).rejects.toThrow(flag);
    }));
});
