import { NETWORKS, parseInfo } from '@oddlot/protocol';
import { withPast } from '../../../packages/api/src/http/load-past-data.ts';
import type { History } from '../../../packages/history/src/history.ts';
import { MarketData } from '../../../packages/translate/src/read-models/market-data.ts';
import {
  answerInfo,
  type InfoAnswer,
  type InfoContext,
  isStateQuery,
  type StateQuery,
} from '../../../packages/translate/src/answer-info.ts';
import { OutcomeVenue, SETTINGS } from './outcome-venue.ts';
import { StoredHistory } from './stored-history.ts';

/**
 * Outcome markets for long tests. Responses that combine memory and history are compared with those
 * from a venue that keeps all data in memory.
 */
export class LongVenue {
  readonly world = new OutcomeVenue();
  readonly history: StoredHistory;
  readonly unbounded: MarketData;

  constructor() {
    const { markets, venue } = this.world;
    this.unbounded = new MarketData(() => venue.state, { settledRetentionMs: Infinity });
    this.history = new StoredHistory({ state: () => venue.state, markets });
    venue.onBlock((block) => {
      this.unbounded.onBlock(block);
      this.history.onBlock(block);
    });
  }

  /** Answers a query as the HTTP edge does. */
  async answer(type: string, fields: object = {}): Promise<InfoAnswer> {
    const query = queryOf(type, fields);
    const source = {
      history: this.history as unknown as History,
      spend: () => undefined,
      contextOf: () => this.#context(this.world.markets),
    };
    const { context } = await withPast(source, query);
    return answerInfo(context, query);
  }

  // oxlint-disable-next-line no-explicit-any
  async data(type: string, fields: object = {}): Promise<any> {
    return dataOf(await this.answer(type, fields));
  }

  /** Answers a query from the memory-only venue, which keeps all data. */
  // oxlint-disable-next-line no-explicit-any
  expected(type: string, fields: object = {}): any {
    return dataOf(answerInfo(this.#context(this.unbounded), queryOf(type, fields)));
  }

  #context(markets: MarketData): InfoContext {
    const { state } = this.world.venue;
    return { state, network: NETWORKS.testnet, settings: SETTINGS, markets };
  }
}

function queryOf(type: string, fields: object): StateQuery {
  const parsed = parseInfo({ type, ...fields });
  if (!parsed.ok || !isStateQuery(parsed.query)) throw new Error(`not a query: ${type}`);
  return parsed.query;
}

function dataOf(answer: InfoAnswer): unknown {
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.data;
}
