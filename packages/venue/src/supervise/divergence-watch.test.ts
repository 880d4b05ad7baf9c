import { createLogger } from '@oddlot/host/log';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { HashVerdict } from '@oddlot/replica/attestations';
import { DivergenceWatch, OutvotedError } from './divergence-watch.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

function watching(present = 3) {
  let verdict: HashVerdict = { kind: 'agreed', height: 10, own: 'x', votes: new Map() };
  const lines: string[] = [];
  const fatal: unknown[] = [];
  const write = (line: string): void => void lines.push((JSON.parse(line) as { msg: string }).msg);
  const watch = new DivergenceWatch({
    replica: {
      get verdict() {
        return verdict;
      },
    },
    present: () => present,
    log: createLogger({ destination: { write } }),
    keep: async ({ height }) => `/kept/${height}`,
    onFatal: (error) => fatal.push(error),
  });
  const become = (kind: HashVerdict['kind'], votes: Record<string, string>): void => {
    verdict = { kind, height: 10, own: 'x', votes: new Map(Object.entries(votes)) };
    watch.look();
  };
  return { watch, become, lines, fatal };
}

test('a replica contradicted by the majority rejects requests, stores the evidence, and stops', async () => {
  const { become, fatal, watch } = watching();
  become('outvoted', { b: 'y', c: 'y', a: 'x' });
  expect(watch.restriction()).toMatchObject({
    stops: 'all',
    error: { code: 10503, message: 'Replicas differ at block 10' },
  });
  await vi.waitFor(() => expect(fatal).toHaveLength(1));
  expect(fatal[0]).toBeInstanceOf(OutvotedError);
  expect(fatal[0]).toMatchObject({ exitCode: 3, message: expect.stringContaining('/kept/10') });
});

test('an outvoted replica waits ten seconds for votes that could still support it', async () => {
  const { become, fatal, watch } = watching(5);
  become('outvoted', { b: 'y', c: 'y', a: 'x' });
  expect(fatal).toEqual([]);
  expect(watch.restriction()?.stops).toBe('all');
  vi.advanceTimersByTime(10_001);
  watch.look();
  await vi.waitFor(() => expect(fatal).toHaveLength(1));
});

test('all replicas reject requests two seconds into a tie, and continue once it is resolved', () => {
  const { become, fatal, lines, watch } = watching(2);
  become('split', { b: 'y' });
  expect(watch.restriction()).toBeUndefined();
  vi.advanceTimersByTime(2_001);
  expect(watch.restriction()?.stops).toBe('all');
  become('agreed', {});
  expect(watch.restriction()).toBeUndefined();
  expect(fatal).toEqual([]);
  expect(lines).toEqual([
    'replicas disagree without a majority; no orders accepted',
    'most replicas computed the same state as this one',
  ]);
});

test('the majority continues and logs once that another replica has diverged', () => {
  const { become, fatal, lines, watch } = watching();
  become('agreed', { a: 'x', b: 'x', c: 'y' });
  watch.look();
  expect(watch.restriction()).toBeUndefined();
  expect(lines).toEqual(['replica diverged']);
  expect(fatal).toEqual([]);
});
