// Built against the tree of release 0.1.0, not this one: see README.md.
import { applyBlock, createState, dump, restore } from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
import { FundingsChannel } from '#release/edge/ws/channels/fundings.ts';
import { TradeTape } from '#release/edge/ws/channels/trade-tape.ts';
import { Faucet } from '#release/edge/http/faucet.ts';
import { MarketData } from '#release/market-data/market-data.ts';
import { createBlockHasher, GENESIS_HEAD } from '#release/replica/block-hash.ts';
import { Receipts } from '#release/replica/receipts.ts';
import { UserLedger } from '#release/replica/user-ledger.ts';
import { instrumentLookup } from '#release/translate/action-to-command.ts';
import { HistoryProjector } from '#rows/history/rows/history-projector.ts';
import { laterEvents } from './rules-1.events.js';

/** The replica of the release with all that rode along in its snapshots, but no files and no clock. */
export async function createEngine() {
  const hashBlock = await createBlockHasher();
  return { rules: 1, open: (payload) => openReplica(hashBlock, payload) };
}

function openReplica(hashBlock, payload) {
  let state = payload === undefined ? createState() : restore(payload.state);
  let head = payload?.head ?? GENESIS_HEAD;
  let rows = [];
  const readState = () => state;
  const archive = { projectedHeight: 0, append: (block) => (rows = block.receipts) };
  const receipts = new Receipts({ instruments: instrumentLookup(readState), archive });
  const ledger = new UserLedger(readState);
  const markets = new MarketData(readState);
  const faucet = new Faucet({ replica: undefined, now: () => head.timeMs });
  const tape = new TradeTape(readState);
  const fundings = new FundingsChannel({ state: readState });
  const streams = {
    name: 'streams',
    dump: () => ({ trades: tape.dump(), fundings: fundings.dump() }),
    restore(data) {
      // The first snapshots held the trades alone.
      tape.restore(Array.isArray(data) ? data : data.trades);
      if (!Array.isArray(data)) fundings.restore(data.fundings);
    },
  };
  // The release kept no history: its rows are made as the next one made them, from the first block on.
  let made;
  const history =
    payload === undefined
      ? new HistoryProjector({
          state: readState,
          markets: { catalogue: NO_CATALOGUE },
          receiptsOf: () => rows,
          // Texts of markets come with the next era's first block.
          onRows: (block) => (made = { ...block, markets: [] }),
        })
      : undefined;
  const companions = [receipts, ledger, ...markets.companions, faucet, streams];
  for (const each of companions) {
    const data = payload?.companions[each.name];
    if (data !== undefined) each.restore(data);
  }
  return {
    /** Applies an entry of the log; its receipts are those that were complete with it. */
    apply(entry) {
      const commands = entry.commands.map(({ command }) => command);
      const result = applyBlock(state, {
        height: entry.seq,
        timeMs: timeMs(entry.timeMs),
        commands,
      });
      const block = hashBlock(head, entry, result);
      const { hash, height, stateHash } = block;
      head = { height, timeMs: block.timeMs, hash, stateHash };
      rows = [];
      for (const each of [receipts, ledger, markets, faucet, tape, fundings]) each.onBlock(block);
      if (history === undefined) return { head, receipts: rows };
      const events = laterEvents(state, result.events);
      history.onBlock({ ...block, result: { ...result, events } });
      return { head, receipts: rows, rows: made };
    },
    dump() {
      const dumped = Object.fromEntries(companions.map((each) => [each.name, each.dump()]));
      if (history === undefined) return { head, state: dump(state), companions: dumped };
      // Rows go on in the next era, which first tells the markets that it finds. What this release kept of
      // ledgers and funding is among the rows, and must not come twice.
      const kept = {
        ...dumped,
        ledger: [],
        streams: { ...dumped.streams, fundings: [] },
        history: { ...history.dump(), hasBegun: false },
      };
      const versions = { history: history.version };
      return { head, state: dump(state), companions: kept, versions };
    },
  };
}

/** What is known of markets at the start is told by the next era, from the catalogue that came along. */
const NO_CATALOGUE = { left: [], listedEvents: () => [] };
