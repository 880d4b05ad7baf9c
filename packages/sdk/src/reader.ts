import { connect, type ConnectOptions } from './connect.ts';
import { createInfo, type InfoClient } from './info/create-info.ts';
import type { StreamsClient } from './streams/create-streams.ts';
import type { Replicas } from './transport/http.ts';
import { plainKey } from './transport/stream.ts';

// This module is separate from client.ts because bundlers split code by file, and a read-only page
// must not load the signing code.

/** A client for queries and streams, without a key. */
export type Reader = {
  /** The known replicas of the venue, and the one to which the client is connected. */
  readonly replicas: Replicas;
  readonly info: InfoClient;
  readonly streams: StreamsClient;
  /** Closes the streams. Pending requests do not need to be closed. */
  close(): void;
};

/**
 * Creates a read-only client. It includes neither schemas nor signing code, so it is a fraction of
 * the size of `createClient`. Malformed queries are therefore detected by the venue, and throw an
 * `ApiError`.
 */
export function createReader(options: ConnectOptions): Reader {
  const connected = connect(options, { keyOf: () => plainKey });
  const { replicas, streams } = connected;
  return { replicas, info: createInfo(connected), streams, close: () => streams.close() };
}
