import { expect, test } from 'vitest';
import fc from 'fast-check';
import type { RowPosition } from '@oddlot/history/rows/block-rows';
import { type Direction, pageOfMoving, type Place } from './cursor.ts';

/**
 * A list of orders that change position when they are updated, and a client that reads it in pages.
 */
class Orders {
  height = 1;
  readonly rows = new Map<number, RowPosition>();

  change(id: number): void {
    this.height += 1;
    this.rows.set(id, [this.height, this.height, 0]);
  }

  async ask({ cursor, order }: Direction, limit: number) {
    const sign = order === 'oldestFirst' ? 1 : -1;
    const found = [...this.rows]
      .filter(
        ([, at]) => cursor === undefined || sign * (at[1] - cursor[1] || at[2] - cursor[2]) > 0,
      )
      .sort(([, a], [, b]) => sign * (a[1] - b[1]));
    const shown = found.slice(0, limit);
    const next = found.length > limit ? (shown.at(-1)?.[1] ?? null) : null;
    return {
      answer: { ids: shown.map(([id]) => id), next },
      asOf: { height: this.height, timeMs: this.height },
    };
  }

  async page(from: Place | undefined, limit: number) {
    return await pageOfMoving(
      from,
      (direction) => this.ask(direction, limit),
      async (cursor) => (await this.ask({ cursor, order: 'oldestFirst' }, 1)).answer.ids.length > 0,
    );
  }
}

test('a client that reads all pages gets the latest version of every order', async () => {
  const changes = fc.array(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 8 }), {
    maxLength: 20,
  });
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 6 }),
    changes,
    async (limit, blocks) => {
      const orders = new Orders();
      for (let id = 0; id < 20; id++) orders.change(id);
      const seen = new Map<number, RowPosition>();
      let place: Place | undefined;
      for (let pages = 0; ; pages++) {
        expect(pages).toBeLessThan(400);
        const { answer, next } = await orders.page(place, limit);
        for (const id of answer.ids) seen.set(id, orders.rows.get(id)!);
        if (next === null) break;
        place = next;
        for (const id of blocks[pages] ?? []) orders.change(id);
      }
      // The client must have the latest version of each order.
      expect(new Map([...seen].sort())).toEqual(new Map([...orders.rows].sort()));
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test('the pages of an unchanged list end with its last row', async () => {
  const orders = new Orders();
  for (let id = 0; id < 5; id++) orders.change(id);
  const first = await orders.page(undefined, 3);
  expect(first.answer.ids).toEqual([4, 3, 2]);
  const second = await orders.page(first.next ?? undefined, 3);
  expect(second).toMatchObject({ answer: { ids: [1, 0] }, next: null });
});
