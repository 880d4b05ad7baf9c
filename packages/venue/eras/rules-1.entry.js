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
      return { head, receipts: rows };
    },
    dump: () => ({
      head,
      state: dump(state),
      companions: Object.fromEntries(companions.map((each) => [each.name, each.dump()])),
    }),
  };
}
