import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createRandom } from './report.ts';
import { answerEnd, requestBytes } from './signed-requests.ts';

/**
 * Sends requests from its own process at times that do not depend on the responses. Latency is
 * measured from the time each request is due, so slow responses cannot hide requests that are
 * waiting. A separate thread measures the times, because event-loop timers fire up to 1 ms late.
 */

export type Arrivals = {
  readonly port: number;
  readonly path: string;
  readonly texts: readonly string[];
  readonly perSecond: number;
  /** The number of keep-alive connections, each with at most one request in flight. */
  readonly connections: number;
};

export type ArrivalResult = {
  /** Milliseconds from a request's due time to its complete response. */
  readonly waitsMs: readonly number[];
  /**
   * Milliseconds from the due time until the request is sent, or until all connections are found to
   * be busy.
   */
  readonly delaysMs: readonly number[];
  readonly wallMs: number;
  /** The first unsuccessful response. */
  readonly fault?: string;
};

const LEAD_MS = 50;

if (!isMainThread) keepTime(workerData as readonly number[]);
else if (process.send !== undefined) {
  process.on('message', (arrivals: Arrivals) => {
    void run(arrivals).then((result) => process.send?.(result));
  });
}

/** Posts the start time, and then the number of requests due whenever it changes. */
function keepTime(gapsMs: readonly number[]): void {
  const unsignalled = new Int32Array(new SharedArrayBuffer(4));
  let atMs = monotonicMs() + LEAD_MS;
  parentPort?.postMessage(atMs);
  const dueMs = gapsMs.map((gapMs) => (atMs += gapMs));
  for (let next = 0; next < dueMs.length;) {
    const waitMs = dueMs[next]! - monotonicMs();
    if (waitMs > 0) Atomics.wait(unsignalled, 0, 0, waitMs);
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
  const delaysMs: number[] = [];
  const free = [...lines];
  let noticed = 0;
  let sent = 0;
  let fault: string | undefined;
  const done = Promise.withResolvers<void>();
  const pump = (): void => {
    for (; sent < noticed; sent += 1) {
      // Connections are used in rotation, because the server closes idle connections.
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
    for (; noticed < due; noticed += 1) delaysMs.push(nowMs - dueMs[noticed]!);
    pump();
  });
  await done.promise;
  const wallMs = monotonicMs() - dueMs[0]!;
  for (const line of lines) line.close();
  return { waitsMs, delaysMs, wallMs, ...(fault === undefined ? {} : { fault }) };
}

/**
 * Returns exponentially distributed gaps between independent arrivals. They are the same in every
 * run.
 */
function gapsOf(count: number, perSecond: number): number[] {
  const random = createRandom(41_000);
  return Array.from({ length: count }, () => {
    const uniform = (1 + random.below(1_000_000)) / 1_000_001;
    return (-Math.log(uniform) * 1_000) / perSecond;
  });
}

/** Returns the time on a clock shared by all threads. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function isSuccess(answer: string): boolean {
  return answer.startsWith('HTTP/1.1 200') && answer.includes('"status":"ok"');
}

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
