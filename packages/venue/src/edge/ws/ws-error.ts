import type { StreamErrorCode } from '@oddlot/protocol';
import { jsonFrame } from './frame.ts';

/** The paths that are sockets. */
export type Endpoint = 'ws' | 'apiWs' | 'wsRtds';

export type WsError = { readonly code: StreamErrorCode; readonly message: string };

/** An error in the shape of its endpoint. `topic` is told on /ws-rtds only. */
export function errorFrame(endpoint: Endpoint, { code, message }: WsError, topic = ''): Buffer {
  switch (endpoint) {
    case 'ws':
      return jsonFrame({ type: 'error', code, message });
    case 'apiWs':
      return jsonFrame({ channel: 'error', data: { code, message } });
    case 'wsRtds':
      return jsonFrame({ topic, type: 'error', payload: { message, code } });
  }
}

export const RATE_LIMITED: WsError = {
  code: 'RISK_RATE_LIMITED',
  message: 'rate limit exceeded',
};
