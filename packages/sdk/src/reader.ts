import { connect, type ConnectOptions } from './connect.ts';
import { createInfo, type InfoClient } from './info/create-info.ts';
import type { StreamsClient } from './streams/create-streams.ts';
import type { Replicas } from './transport/http.ts';
import { plainKey } from './transport/stream.ts';

// Apart from client.ts: bundlers split by file, and a page that only reads must not load signing.

/** Queries and streams, without a key. */
export type Reader = {
  /** The known processes of the venue, and the one that the client is connected to. */
  readonly replicas: Replicas;
  readonly info: InfoClient;
  readonly streams: StreamsClient;
  /** Ends the streams. Requests need no ending. */
  close(): void;
};

/**
 * Makes a client that only reads. It brings neither schemas nor signing along, so that a page that shows a market
 * loads a fraction of `createClient`: a query that is malformed is found by the venue and thrown as an `ApiError`.
 */
export function createReader(options: ConnectOptions): Reader {
  const connected = connect(options, { keyOf: () => plainKey });
  const { replicas, streams } = connected;
  return { replicas, info: createInfo(connected), streams, close: () => streams.close() };
}
