import type { EngineEvent, State } from '@oddlot/engine';
import type { Fill, FundingRow, LedgerUpdate } from '@oddlot/sdk';
import { ledgerEntries } from '@oddlot/translate/ledger-entries';
import { fundingRow } from '@oddlot/translate/event-to-stream';
import { findPerp } from '@oddlot/translate/info/info-context';
import { fillRecords } from '@oddlot/venue/testkit';
import type { Address } from '@oddlot/units';
import type { ControlledVenue } from '../controlled-venue.ts';

type Block = Parameters<Parameters<ControlledVenue['onBlock']>[0]>[0];

type BlockRows = {
  readonly height: number;
  readonly fills: readonly Fill[];
  readonly fundings: readonly FundingRow[];
  readonly ledger: readonly LedgerUpdate[];
};

/**
 * One account's history as API rows, oldest first. It is derived from the blocks in memory, so that
 * a report does not need the venue's history: creating that history's rows for all accounts would
 * take most of a backtest's time.
 */
export class AccountHistory {
  readonly #account: Address;
  readonly #venue: ControlledVenue;
  readonly #texts = new Map<number, { readonly title: string; readonly slug: string }>();
  #blocks: BlockRows[] = [];

  /** Starts with the venue's next block. */
  constructor(venue: ControlledVenue, account: Address) {
    this.#account = account;
    this.#venue = venue;
    venue.onBlock((block) => this.#take(block));
  }

  get fills(): readonly Fill[] {
    return this.#blocks.flatMap(({ fills }) => fills);
  }

  get fundings(): readonly FundingRow[] {
    return this.#blocks.flatMap(({ fundings }) => fundings);
  }

  get ledger(): readonly LedgerUpdate[] {
    return this.#blocks.flatMap(({ ledger }) => ledger);
  }

  #take(block: Block): void {
    const { height, result } = block;
    // After a venue has been reverted to a snapshot, its new blocks have the same heights as the
    // reverted ones.
    while ((this.#blocks.at(-1)?.height ?? 0) >= height) this.#blocks.pop();
    for (const event of result.events) {
      if (event.type !== 'outcomeMarketListed') continue;
      const { instrumentId, market } = event;
      this.#texts.set(instrumentId, { title: market.question, slug: market.slug });
    }
    if (!result.events.some((event) => concerns(event, this.#account))) return;
    this.#blocks.push({ height, ...this.#rowsOf(block) });
  }

  #rowsOf(block: Block): Omit<BlockRows, 'height'> {
    const { state } = this.#venue;
    const isOwn = ({ user }: { readonly user: Address }): boolean => user === this.#account;
    return {
      fills: fillRecords(state, block)
        .filter(isOwn)
        .map(({ instrumentId, row }) => asSent({ ...row, ...this.#texts.get(instrumentId) })),
      fundings: block.result.events.flatMap((event) => fundingOf(state, event, this.#account)),
      ledger: block.result.events.flatMap((event) =>
        ledgerEntries(state, block, event)
          .filter(isOwn)
          .map(({ entry }) => asSent(entry.row)),
      ),
    };
  }
}

/** Returns true if an event can produce a row for the account. */
function concerns(event: EngineEvent, account: Address): boolean {
  switch (event.type) {
    case 'tradeExecuted':
    case 'outcomeTraded':
      return event.taker.account === account || event.maker.account === account;
    case 'orderUpdated':
      return false;
    case 'tokenSent':
      // A transfer produces a row for the sender and another for the recipient.
      return true;
    default:
      return 'account' in event && event.account === account;
  }
}

function fundingOf(state: State, event: EngineEvent, account: Address): readonly FundingRow[] {
  if (event.type !== 'fundingPaid' || event.account !== account) return [];
  const perp = findPerp(state, event.instrumentId);
  return perp === undefined ? [] : [asSent(fundingRow(perp, event))];
}

/** Removes undefined fields, as the API does. */
function asSent<Row>(row: Row): Row {
  return JSON.parse(JSON.stringify(row)) as Row;
}
