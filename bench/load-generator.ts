import { connect, type Socket } from 'node:net';
import type { SignedRequest } from './signed-requests.ts';

/**
 * Sends requests that lie ready over kept connections, in a process of its own. It speaks HTTP by
 * hand: a client library would take more of the two cores than the venue.
 *
 * Requests of one lane go over one connection, one after the other, so that nonces ascend.
 */

export type Load = {
  readonly port: number;
  readonly path: string;
  /** The bodies of each lane. */
  readonly lanes: readonly (readonly SignedRequest['text'][])[];
};

export type LoadResult = {
  readonly answers: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** The first answer that was no success. */
  readonly fault: string | undefined;
};

if (process.send !== undefined) {
  process.on('message', (load: Load) => void run(load).then((result) => process.send?.(result)));
}

async function run({ port, path, lanes }: Load): Promise<LoadResult> {
  const queues = lanes.map((texts) => texts.map((text) => request(path, text)));
  const sockets = await Promise.all(lanes.map(() => open(port)));
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  const faults = await Promise.all(
    sockets.map((socket, lane) => drain(socket, queues[lane] ?? [])),
  );
  const wallMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  for (const socket of sockets) socket.destroy();
  return {
    answers: queues.reduce((sum, queue) => sum + queue.length, 0),
    wallMs,
    cpuMs: (user + system) / 1_000,
    fault: faults.find((fault) => fault !== undefined),
  };
}

function request(path: string, text: string): Buffer {
  const head =
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return Buffer.from(head + text);
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Sends one request after another; resolves with the first answer that is no success. */
function drain(socket: Socket, queue: readonly Buffer[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    let next = 0;
    let received = '';
    let fault: string | undefined;
    const send = (): void => {
      const bytes = queue[next++];
      if (bytes === undefined) resolve(fault);
      else socket.write(bytes);
    };
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = answerEnd(received);
      if (end === undefined) return;
      const isSuccess = received.startsWith('HTTP/1.1 200') && received.includes('"status":"ok"');
      if (!isSuccess) fault ??= received;
      received = received.slice(end);
      send();
    });
    socket.on('close', () => resolve(fault ?? 'the connection was closed'));
    send();
  });
}

/** Where the answer ends; undefined while parts of it are missing. */
function answerEnd(received: string): number | undefined {
  const bodyAt = received.indexOf('\r\n\r\n');
  if (bodyAt < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  const end = bodyAt + 4 + Number(length ?? 0);
  return received.length >= end ? end : undefined;
}
