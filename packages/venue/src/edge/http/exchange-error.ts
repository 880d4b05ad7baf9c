import type { Reply } from '@oddlot/host/http';
import type { WireError } from '@oddlot/protocol';
import type { ErrorBody } from '../../translate/outcome-to-wire.ts';

export function exchangeRefusal(error: WireError, isGateway: boolean): Reply {
  return { status: error.httpStatus, body: exchangeError(error, isGateway) };
}

/**
 * The error envelope of /exchange. Gateway refusals carry their text in `response`, all others in
 * `message`; never both. What a gate stops is one too, wherever it is noticed.
 */
export function exchangeError(
  { code, message, name, details }: ErrorBody | WireError,
  isGateway: boolean,
): string {
  const text = isGateway || name === 'GATED' ? { response: message } : { message };
  return JSON.stringify({ status: 'err', code, ...text, name, details });
}
