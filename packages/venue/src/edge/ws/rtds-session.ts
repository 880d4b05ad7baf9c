import { checkJson } from '@oddlot/protocol';
import type { Connection } from './connection.ts';
import { textFrame } from './frame.ts';
import { errorFrame, RATE_LIMITED } from './ws-error.ts';

/** Subscriptions in one frame that are answered one by one. */
const ENTRIES_MAX = 50;

const PONG = textFrame(Buffer.from('PONG'));

/**
 * The conversation with one client of /ws-rtds, which has a convention of its own: pings are bare
 * words, and a frame names several topics. No topic is served yet.
 */
export class RtdsSession {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  receive(text: string | undefined): void {
    if (text === 'PING' || text === 'ping') {
      this.#connection.send(PONG);
      return;
    }
    if (!this.#connection.budget.take()) {
      this.#connection.send(errorFrame('wsRtds', RATE_LIMITED));
      return;
    }
    const topics = text === undefined ? undefined : readTopics(text);
    if (topics === undefined) {
      const message = 'A frame is PING or a JSON object with action and subscriptions';
      this.#connection.send(errorFrame('wsRtds', { code: 'INVALID_FRAME', message }));
      return;
    }
    for (const topic of topics) {
      const error = { code: 'UNKNOWN_CHANNEL', message: 'topic not found' } as const;
      this.#connection.send(errorFrame('wsRtds', error, topic));
    }
  }

  close(): void {
    // Holds nothing outside itself.
  }
}

function readTopics(text: string): string[] | undefined {
  if (!checkJson(text).ok) return undefined;
  const frame = JSON.parse(text) as { action?: unknown; subscriptions?: unknown } | null;
  if (frame?.action !== 'subscribe' && frame?.action !== 'unsubscribe') return undefined;
  const { subscriptions } = frame;
  if (!Array.isArray(subscriptions) || subscriptions.length > ENTRIES_MAX) return undefined;
  return subscriptions.map((entry: { topic?: unknown } | null) =>
    typeof entry?.topic === 'string' ? entry.topic : '',
  );
}
