import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { type Thread, threadHere, type ThreadProgram } from './thread.ts';

/** Resolves with the messages and events of a thread, in order, when it ends. */
function eventsOf(thread: Thread): Promise<unknown[]> {
  const events: unknown[] = [];
  return new Promise((resolve) => {
    thread.on('message', (message) => events.push(message));
    thread.on('error', (error) => events.push(String(error)));
    thread.on('exit', (code) => {
      events.push(code);
      resolve(events);
    });
  });
}

const DOUBLES: ThreadProgram<{ by: number }> = ({ by }, port) => {
  port.on('message', (value: number) => {
    if (value === 0) throw new Error('not zero');
    port.postMessage(value * by);
    if (value < 0) port.close();
  });
};

test("a program on the caller's thread receives, sends and ends as on a separate thread", async () => {
  const apart = new Worker(
    `const { parentPort: port, workerData } = require('node:worker_threads');
     (${DOUBLES.toString()})(workerData, port);`,
    { eval: true, workerData: { by: 2 } },
  );
  const stories = [threadHere(DOUBLES, { by: 2 }), apart].map((thread) => {
    const events = eventsOf(thread);
    for (const value of [1, 2, -3]) thread.postMessage(value);
    return events;
  });
  const [here, there] = await Promise.all(stories);
  expect(here).toEqual([2, 4, -6, 0]);
  expect(there).toEqual(here);
});

test("a program on the caller's thread starts once its owner is listening, and gets a copy of its data", async () => {
  const data = { list: [1] };
  const thread = threadHere((given, port) => {
    given.list.push(2);
    port.postMessage(given.list);
    port.close();
  }, data);
  expect(await eventsOf(thread)).toEqual([[1, 2], 0]);
  expect(data).toEqual({ list: [1] });
});

test('a failing program is reported and ends, and a terminated program ends', async () => {
  const failing = threadHere(async () => {
    throw new Error('no disk');
  }, undefined);
  expect(await eventsOf(failing)).toEqual(['Error: no disk', 1]);
  const endless = threadHere((_data, port) => void port.on('message', () => undefined), undefined);
  const events = eventsOf(endless);
  await endless.terminate();
  expect(await events).toEqual([1]);
});
