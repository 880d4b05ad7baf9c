import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createRandom } from './report.ts';
import { answerEnd, requestBytes } from './signed-requests.ts';

/**
 * Sends requests at moments that do not depend on the answers, in a process of its own, and tells how long each took from
 * the moment when it was due: who waits for a slow answer before asking again would not see the slow ones. A thread of its own
 * knows the moments, since a timer of the event loop is a millisecond late.
 */

export type Arrivals = {
  readonly port: number;
  readonly path: string;
  readonly texts: readonly string[];
  readonly perSecond: number;
  /** Kept connections; one that has no answer yet is not used for another request. */
  readonly connections: number;
};

export type ArrivalResult = {
  /** From when each was due to its whole answer. */
  readonly waitsMs: readonly number[];
  /** From when each was due to when it was sent or found no free connection. */
  readonly lateMs: readonly number[];
  readonly wallMs: number;
  /** The first answer that was no success. */
  readonly fault?: string;
};

const LEAD_MS = 50;

if (!isMainThread) keepTime(workerData as readonly number[]);
else if (process.send !== undefined) {
  process.on('message', (arrivals: Arrivals) => {
    void run(arrivals).then((result) => process.send?.(result));
  });
}

/** Tells when it begins, then the number of requests that are due, whenever there is one more. */
function keepTime(gapsMs: readonly number[]): void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  let atMs = monotonicMs() + LEAD_MS;
  parentPort?.postMessage(atMs);
  const dueMs = gapsMs.map((gapMs) => (atMs += gapMs));
  for (let next = 0; next < dueMs.length;) {
    const waitMs = dueMs[next]! - monotonicMs();
    if (waitMs > 0) Atomics.wait(nobody, 0, 0, waitMs);
    const nowMs = monotonicMs();
    while (next < dueMs.length && dueMs[next]! <= nowMs) next += 1;
    parentPort?.postMessage(next);
  }
}

async function run(arrivals: Arrivals): Promise<ArrivalResult> {
  const { connections, path, perSecond, port, texts } = arrivals;
  const requests = texts.map((text) => requestBytes(path, text));
  const lines = await Promise.all(Array.from({ length: connections }, () => Line.open(port)));
  const gapsMs = gapsOf(requests.length, perSecond);
  const timekeeper = new Worker(import.meta.filename, { workerData: gapsMs });
  let [atMs] = (await once(timekeeper, 'message')) as [number];
  const dueMs = gapsMs.map((gapMs) => (atMs += gapMs));
  const waitsMs: number[] = [];
  const lateMs: number[] = [];
  const free = [...lines];
  let noticed = 0;
  let sent = 0;
  let fault: string | undefined;
  const done = Promise.withResolvers<void>();
  const pump = (): void => {
    for (; sent < noticed; sent += 1) {
      // In turn: one that nobody uses for a while the server closes.
      const line = free.shift();
      if (line === undefined) return;
      const due = dueMs[sent]!;
      line.send(requests[sent]!, (answer) => {
        waitsMs.push(monotonicMs() - due);
        if (!isSuccess(answer)) fault ??= answer;
        free.push(line);
        if (waitsMs.length === requests.length) done.resolve();
        else pump();
      });
    }
  };
  timekeeper.on('message', (due: number) => {
    const nowMs = monotonicMs();
    for (; noticed < due; noticed += 1) lateMs.push(nowMs - dueMs[noticed]!);
    pump();
  });
  await done.promise;
  const wallMs = monotonicMs() - dueMs[0]!;
  for (const line of lines) line.close();
  return { waitsMs, lateMs, wallMs, ...(fault === undefined ? {} : { fault }) };
}

/** Between independent arrivals: exponential, the same in every run. */
function gapsOf(count: number, perSecond: number): number[] {
  const random = createRandom(41_000);
  return Array.from({ length: count }, () => {
    const uniform = (1 + random.below(1_000_000)) / 1_000_001;
    return (-Math.log(uniform) * 1_000) / perSecond;
  });
}

/** The same clock in every thread. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function isSuccess(answer: string): boolean {
  return answer.startsWith('HTTP/1.1 200') && answer.includes('"status":"ok"');
}

/** A kept connection: one request at a time. */
class Line {
  readonly #socket: Socket;
  #received = '';
  #answered: ((answer: string) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk.toString('latin1')));
    socket.on('close', () => this.#answered?.('the connection was closed'));
  }

  static open(port: number): Promise<Line> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
        resolve(new Line(socket));
      });
      socket.on('error', reject);
    });
  }

  send(request: Buffer, answered: (answer: string) => void): void {
    this.#answered = answered;
    this.#socket.write(request);
  }

  close(): void {
    this.#answered = undefined;
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#received += text;
    const end = answerEnd(this.#received);
    if (end === undefined) return;
    const answer = this.#received.slice(0, end);
    this.#received = this.#received.slice(end);
    this.#answered?.(answer);
  }
}
