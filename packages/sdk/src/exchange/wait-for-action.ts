import type { ActionStatus } from '@oddlot/protocol';
import { HttpError } from '../errors.ts';
import { queryInfo, type InfoContext } from '../info/query-info.ts';
import { sleep } from '../transport/backoff.ts';

/** How long to wait for an action. */
export type WaitOptions = {
  readonly timeoutMs?: number | undefined;
  /** Between two looks at the receipt. */
  readonly intervalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Which action: by its hash, or by the trace id that an order on an outcome market was given. */
export type ActionName = string | { readonly traceId: string };

/**
 * Waits until an action that was sent is decided and gives its receipt; orders of outcome markets are
 * when the last of them has left the delay queue. `unknown` is a decision too: the venue never saw it.
 *
 * @throws HttpError when it is still open after `timeoutMs`
 */
export async function waitForAction(
  context: InfoContext,
  name: ActionName,
  { timeoutMs = 30_000, intervalMs = 250, signal }: WaitOptions = {},
): Promise<ActionStatus> {
  const wanted = typeof name === 'string' ? { txHash: name } : { traceId: name.traceId };
  const query = { type: 'actionStatus', ...wanted } as const;
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const receipt = await queryInfo(context, query, { signal });
    if (receipt.status !== 'pending' && receipt.status !== 'queued') return receipt;
    if (performance.now() + intervalMs > deadlineMs) {
      const txHash = receipt.txHash ?? undefined;
      throw new HttpError(`Still ${receipt.status} after ${timeoutMs} ms: ${txHash}`, { txHash });
    }
    await sleep(intervalMs, signal);
  }
}
