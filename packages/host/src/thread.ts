import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';

/** The part of a worker thread's interface that its owner uses. */
export type Thread = Pick<Worker, 'on' | 'postMessage' | 'terminate' | 'unref'>;

/**
 * The program of a thread. It communicates through its port, and ends when the port is closed or
 * the program fails.
 */
export type ThreadProgram<Data> = (data: Data, port: MessagePort) => void | Promise<void>;

/**
 * Runs a thread's program on the caller's thread. Used in a process with many small venues, where
 * loading a program for each would take too long. Messages are copied and arrive asynchronously, as
 * between two threads.
 */
export function threadHere<Data>(program: ThreadProgram<Data>, data: Data): Thread {
  const { port1: outer, port2: inner } = new MessageChannel();
  const events = new EventEmitter();
  let code = 0;
  outer.on('message', (message) => events.emit('message', message));
  // The exit event follows all earlier messages.
  outer.once('close', () => events.emit('exit', code));
  const fail = (error: unknown): void => {
    code = 1;
    events.emit('error', error);
    inner.close();
  };
  // As on a separate thread, the program starts after its owner has begun to listen.
  queueMicrotask(() => void (async () => program(structuredClone(data), inner))().catch(fail));
  return {
    postMessage: (message) => outer.postMessage(message),
    on: events.on.bind(events) as unknown as Thread['on'],
    unref: () => {
      outer.unref();
      inner.unref();
    },
    terminate: () => {
      code = 1;
      // The open port keeps the process alive until the promise resolves.
      outer.ref();
      const ended = new Promise<number>((resolve) => events.once('exit', resolve));
      inner.close();
      return ended;
    },
  };
}
