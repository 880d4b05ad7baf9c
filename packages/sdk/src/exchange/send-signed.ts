import type { ActionReply } from './reply.ts';
import { deliver, type ExchangeContext } from './send-action.ts';
import type { SignedAction } from './sign-action.ts';

/**
 * Sends what `signAction` has signed, for whoever writes it down before anybody else sees it. However often the same bytes are
 * sent, also after a restart, they execute once; they are never signed anew.
 *
 * @throws HttpError, ApiError
 */
export function sendSigned(
  { http }: Pick<ExchangeContext, 'http'>,
  signed: SignedAction,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ActionReply> {
  return deliver(http, signed, { signal, signAnew: undefined });
}
