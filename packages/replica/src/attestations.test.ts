import { expect, test } from 'vitest';
import { Attestations } from './attestations.ts';

/** Returns the attestations of a replica that computed the hash `x` for every block. */
function seen(...votes: readonly [replica: string, height: number, hash: string][]): Attestations {
  const attestations = new Attestations();
  for (const [replica, height, hash] of votes) attestations.take({ replica, height, hash }, 'x');
  return attestations;
}

test.each<[string, string, [string, number, string][], string, number]>([
  ['no attestation is known', 'a', [], 'agreed', 0],
  ['another replica agrees', 'a', [['b', 10, 'x']], 'agreed', 10],
  ['its own attestation does not add a vote', 'a', [['a', 10, 'x']], 'agreed', 10],
  [
    'another replica has another hash, and no third one has attested',
    'a',
    [['b', 10, 'y']],
    'split',
    10,
  ],
  [
    'two to one',
    'a',
    [
      ['b', 10, 'y'],
      ['c', 10, 'x'],
    ],
    'agreed',
    10,
  ],
  [
    'one to two',
    'a',
    [
      ['b', 10, 'y'],
      ['c', 10, 'y'],
    ],
    'outvoted',
    10,
  ],
  [
    'one to two, with its own attestation',
    'a',
    [
      ['b', 10, 'y'],
      ['a', 10, 'x'],
      ['c', 10, 'y'],
    ],
    'outvoted',
    10,
  ],
  [
    'all three differ',
    'a',
    [
      ['b', 10, 'y'],
      ['c', 10, 'z'],
    ],
    'split',
    10,
  ],
  [
    'an earlier attestation by itself does not count after a correction',
    'a',
    [
      ['a', 10, 'y'],
      ['b', 10, 'x'],
    ],
    'agreed',
    10,
  ],
  [
    'a newer attestation of a replica replaces the older one',
    'a',
    [
      ['b', 10, 'y'],
      ['b', 10, 'x'],
    ],
    'agreed',
    10,
  ],
  [
    'a later block on which another replica agrees settles it',
    'a',
    [
      ['b', 10, 'y'],
      ['b', 20, 'x'],
    ],
    'agreed',
    20,
  ],
  [
    'its own later attestation settles nothing',
    'a',
    [
      ['b', 10, 'y'],
      ['a', 20, 'x'],
    ],
    'split',
    10,
  ],
  [
    'a second uncontested later block settles it',
    'a',
    [
      ['b', 10, 'y'],
      ['a', 20, 'x'],
      ['a', 30, 'x'],
    ],
    'agreed',
    20,
  ],
])('replicas that compare their hashes: %s', (_, self, votes, kind, height) => {
  expect(seen(...votes).verdict(self)).toMatchObject({ kind, height });
});

test('a follower without a name judges by the attestations in the log alone', () => {
  expect(seen(['b', 10, 'y']).verdict(undefined).kind).toBe('outvoted');
  expect(seen(['b', 10, 'y'], ['a', 10, 'x'], ['c', 10, 'x']).verdict(undefined).kind).toBe(
    'agreed',
  );
});

test('a replica that sees two different hashes of a block attests its own hash once', () => {
  const attestations = seen(['b', 10, 'x']);
  expect(attestations.wantedOf('a')).toEqual([]);
  attestations.take({ replica: 'c', height: 10, hash: 'y' }, 'x');
  expect(attestations.wantedOf('a')).toEqual([{ height: 10, hash: 'x' }]);
  expect(attestations.wantedOf('b')).toEqual([]);
  attestations.take({ replica: 'a', height: 10, hash: 'x' }, 'x');
  expect(attestations.wantedOf('a')).toEqual([]);
});

test('attestations of blocks that are too old to compare are ignored, and only a few heights are kept', () => {
  const attestations = new Attestations();
  attestations.take({ replica: 'b', height: 1, hash: 'y' }, undefined);
  expect(attestations.verdict('a').height).toBe(0);
  for (let height = 1; height <= 100; height += 1)
    attestations.take({ replica: 'b', height, hash: 'y' }, 'x');
  expect(attestations.wantedOf('a')).toHaveLength(32);
});
