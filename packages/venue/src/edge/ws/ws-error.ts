import type { Details, StreamErrorCode } from '@oddlot/protocol';
import { jsonFrame } from './frame.ts';

/** The paths that are sockets. */
export type Endpoint = 'ws' | 'apiWs' | 'wsRtds';

export type WsError = {
  readonly code: StreamErrorCode;
  readonly message: string;
  /** Present where nothing is wrong with the frame: it may be sent again after this time. */
  readonly retryAfterMs?: number;
  /** Of refused parameters; not told on /ws-rtds. */
  readonly details?: Details;
  /** What the refused frame wanted to subscribe to or to leave, as it was sent. */
  readonly subscription?: unknown;
};

/** An error in the shape of its endpoint. `topic` is told on /ws-rtds only. */
export function errorFrame(endpoint: Endpoint, error: WsError, topic = ''): Buffer {
  const { code, message, subscription } = error;
  switch (endpoint) {
    case 'ws':
      return jsonFrame({ type: 'error', ...error });
    case 'apiWs':
      return jsonFrame({ channel: 'error', data: error });
    case 'wsRtds':
      return jsonFrame({ topic, type: 'error', payload: { message, code, subscription } });
  }
}

export const RATE_LIMITED: WsError = {
  code: 'RISK_RATE_LIMITED',
  message: 'rate limit exceeded',
};
