import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  TestEdge,
  VirtualTiming,
  type AnyFrame,
  type TestClient,
} from '@oddlot/testing/venue/ws/test-edge';
import { LATE_RETRY_MS } from '../channel-session.ts';
import { ALICE } from '@oddlot/testing/venue/ws/test-venue';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 15);
const CLIENTS = 3;
const FILLS = { type: 'userFills', user: ALICE };

const client = fc.nat({ max: CLIENTS - 1 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('block'), rows: fc.nat({ max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('answer'), lag: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fail') }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('subscribe'), client }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('leave'), client }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('unsubscribe'), client }) },
);

/** A model of a client, built from the frames it receives. */
class Follower {
  readonly edge: TestEdge;
  client: TestClient | undefined;
  rows: number[] = [];
  isFollowing = false;
  #place: { epoch: string; seq: number } | undefined;
  #awaitsSnapshot = false;
  #isResuming = false;

  constructor(edge: TestEdge) {
    this.edge = edge;
  }

  async subscribe(): Promise<void> {
    this.client ??= await this.edge.connect('/api-ws');
    // A client without a snapshot has no position to resume from.
    const hasPlace = this.#place !== undefined && !this.#awaitsSnapshot;
    this.#isResuming = hasPlace && !this.isFollowing;
    this.client.subscribe(FILLS, this.#isResuming ? this.#place : undefined);
    await this.read();
  }

  async unsubscribe(): Promise<void> {
    this.client?.send({ method: 'unsubscribe', subscription: FILLS });
    await this.read();
  }

  async leave(): Promise<void> {
    await this.read();
    const open = this.edge.edge.stats.connections.apiWs;
    if (this.client === undefined) return;
    this.client.socket.terminate();
    this.client = undefined;
    this.isFollowing = false;
    await expect.poll(() => this.edge.edge.stats.connections.apiWs).toBe(open - 1);
  }

  async read(): Promise<void> {
    for (const frame of (await this.client?.settle()) ?? []) this.#take(frame);
  }

  #take({ channel, data, seq }: AnyFrame): void {
    if (channel === 'error') return;
    if (channel === 'subscriptionResponse') {
      this.isFollowing = data.method === 'subscribe';
      if (!this.isFollowing || this.#isResuming) return;
      this.#place = { epoch: data.epoch, seq: data.seq };
      this.#awaitsSnapshot = true;
      return;
    }
    if (channel === 'resync') {
      this.#place = { epoch: data.epoch, seq: data.seq };
      this.#awaitsSnapshot = true;
      return;
    }
    const place = this.#place ?? { epoch: '', seq: -1 };
    expect(data.isSnapshot === true).toBe(this.#awaitsSnapshot);
    expect(seq).toBe(this.#awaitsSnapshot ? place.seq : place.seq + 1);
    this.rows = this.#awaitsSnapshot ? data.fills.toReversed() : [...this.rows, ...data.fills];
    this.#awaitsSnapshot = false;
    this.#place = { epoch: place.epoch, seq };
  }
}

test('subscribers receive every row once and in order, whenever the history responds', async () => {
  const runs = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
    const timing = new VirtualTiming();
    const edge = await TestEdge.start({ retainedFramesMax: 4 }, timing);
    const { history } = edge;
    history.isPrompt = false;
    const followers = Array.from({ length: CLIENTS }, () => new Follower(edge));
    const follower = (index: number): Follower => followers[index]!;
    const all: number[] = [];
    let { height } = edge.venue.state;
    /** The newest block at the time of each query. The response must not be older. */
    const askedAt: number[] = [];
    const note = (): void => {
      while (askedAt.length < history.waitingCount) askedAt.push(height);
    };
    const answer = (lag: number): void => {
      const oldest = askedAt.shift();
      if (oldest !== undefined) history.answer(Math.max(oldest, height - lag));
    };
    try {
      for (const each of steps) {
        if (each.type === 'block') {
          height += 1;
          const names = Array.from({ length: each.rows }, (_, index) => all.length + index);
          all.push(...names);
          history.take(
            height,
            names.map((row) => ({ user: ALICE, table: 'fills', accountTypes: ['perp'], row })),
          );
        } else if (each.type === 'answer') answer(each.lag);
        else if (each.type === 'fail') {
          if (askedAt.shift() !== undefined) history.fail();
        } else if (each.type === 'subscribe') await follower(each.client).subscribe();
        else if (each.type === 'leave') await follower(each.client).leave();
        else await follower(each.client).unsubscribe();
        await new Promise(setImmediate);
        note();
      }
      // A pending resync retries its query after a delay until it succeeds.
      for (let round = 0; round < 5 || history.waitingCount > 0; round++) {
        answer(0);
        timing.advance(round < 5 ? LATE_RETRY_MS : 0);
        await new Promise(setImmediate);
        note();
      }
      for (const each of followers) {
        await each.read();
        if (each.isFollowing) expect(each.rows).toEqual(all);
      }
    } finally {
      await edge.stop();
    }
  });
  await fc.assert(runs, { numRuns: RUNS });
});
