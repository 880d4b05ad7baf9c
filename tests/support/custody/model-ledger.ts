import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { listen } from '@oddlot/testing/host';
import type { SignedRequest } from './signed-requests.ts';

type Query = {
  readonly type: string;
  readonly user: string;
  readonly before: number;
  readonly txHash: string;
  readonly cursor?: string;
};

type LedgerRow = {
  readonly id: number;
  readonly time: number;
  readonly destination: string;
  readonly amount: string;
  readonly fee: string;
  readonly status: string;
};

/**
 * Serves the API queries that a validator sends to a venue. The tests in tests/operations use real
 * venues.
 */
export class ModelLedger {
  user = '';
  rows: LedgerRow[] = [];
  /**
   * All requests that the ledger can return. `asking` lists the hashes of withdrawal requests, and
   * `changes` those of signer changes.
   */
  requests: SignedRequest[] = [];
  asking: string[] = [];
  changes: string[] = [];
  pageRows = 2_000;
  status = { insuranceFund: '1', withdrawalsWait: false };
  /** The number of empty responses to send before the first response with rows. */
  emptyAnswers = 0;
  /** The number of requests to reject because of a rate limit. */
  busy = 0;
  httpStatus = 200;
  asked: Query[] = [];
  url = '';
  readonly #server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    const query = JSON.parse(text) as Query;
    this.asked.push(query);
    response.statusCode = this.busy-- > 0 ? 429 : this.httpStatus;
    response.end(JSON.stringify(this.#answer(query)));
  });

  async open(): Promise<this> {
    this.url = `http://127.0.0.1:${await listen(this.#server, 0, '127.0.0.1')}`;
    return this;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #answer({ before, cursor = '0', txHash, type, user }: Query): object {
    const ok = (data: unknown): object => ({ success: true, code: 0, data });
    const isHis = user === this.user;
    switch (type) {
      case 'withdrawals': {
        const rows = this.emptyAnswers-- > 0 || !isHis ? [] : this.rows;
        return ok(rows.filter(({ id }) => id < before).slice(0, 1));
      }
      case 'userNonFundingLedgerUpdates': {
        const deltas = isHis ? this.rows.map((row) => ({ type: 'withdraw', ...row })) : [];
        const all = this.asking.flatMap((hash) =>
          deltas.map((delta) => ({ time: 1, hash, delta })),
        );
        const end = Number(cursor) + this.pageRows;
        const nextCursor = end < all.length ? String(end) : null;
        return { ...ok(all.slice(Number(cursor), end)), nextCursor };
      }
      case 'tx': {
        const found = this.requests.find((each) => each.txHash === txHash);
        return found === undefined ? { success: false, code: 10_004 } : ok(found.shown);
      }
      case 'multiSigChanges':
        return ok(isHis ? this.changes : []);
      default:
        return ok(this.status);
    }
  }
}
