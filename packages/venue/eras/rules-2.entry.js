// Built against the tree of release 0.2.0, not this one: see README.md.
import {
  applyBlock,
  checkInvariants,
  createState,
  dump,
  DUMP_VERSION,
  fromFormat1,
  PACKED_DUMP_VERSION,
  restore,
} from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
import { EarlierRows } from '#release/history/archivist/earlier-rows.ts';
import { ExplorerTail } from '#release/history/explorer-tail.ts';
import { FaucetGrants } from '#release/history/faucet-grants.ts';
import { Receipts } from '#release/history/receipts.ts';
import { HistoryProjector } from '#release/history/rows/history-projector.ts';
import { TradeTape } from '#release/history/trade-tape.ts';
import { MarketData } from '#release/read-models/market-data.ts';
import {
  createBlockHasher,
  createTextHasher,
  GENESIS_HEAD,
  stateHashOf,
} from '#release/replica/block-hash.ts';
import { instrumentLookup } from '#release/translate/action-to-command.ts';

/** How long an address waits for test money is a setting: whoever reads the grants lets old ones go. */
const GRANTS_KEPT_MS = 7 * 86_400_000;

/** The replica of the release with all that rode along in its snapshots, but no files and no clock. */
export async function createEngine() {
  const hashText = await createTextHasher();
  return { rules: 2, eraStart, open: (payload) => openReplica(hashText, payload) };
}

/** The state that this era starts from, made of the last one of rules 1. */
function eraStart(state) {
  const restored = restore(fromFormat1(state));
  checkInvariants(restored);
  return dump(restored);
}

function openReplica(hashText, payload) {
  const hashBlock = createBlockHasher(hashText);
  let state = payload === undefined ? createState() : restoredOf(hashText, payload);
  let head = payload?.head ?? GENESIS_HEAD;
  let receipts = [];
  let rows;
  let isMoved = false;
  const readState = () => state;
  const instruments = instrumentLookup(readState);
  const told = new Receipts({ instruments, onReceipts: (block) => (receipts = block.receipts) });
  const markets = new MarketData(readState);
  const faucet = new FaucetGrants(GRANTS_KEPT_MS);
  const earlier = new EarlierRows(readState, () => history);
  const tape = new TradeTape(readState, () => markets.catalogue.left);
  const explorer = new ExplorerTail(readState);
  const history = new HistoryProjector({
    state: readState,
    markets,
    receiptsOf: () => receipts,
    onRows: (block) => (rows = earlier.joined(block)),
  });
  // The order is that of the release: the history looks at what the others have made of a block.
  const first = [told, ...markets.projections, faucet, ...earlier.projections, tape, explorer];
  const companions = [...first, history];
  for (const each of companions) restoreCompanion(each, payload);
  // Rows begin with this era. In its middle they go on only if what they need came along.
  const kept = !isInTheMiddle(payload) || payload.companions.history !== undefined;
  const dumped = kept ? companions : first;
  return {
    /** Applies an entry of the log; its receipts and rows are those that were complete with it. */
    apply(entry) {
      const commands = entry.commands.map(({ command }) => command);
      const result = applyBlock(state, {
        height: entry.seq,
        timeMs: timeMs(entry.timeMs),
        commands,
      });
      isMoved = true;
      const block = hashBlock(head, entry, result);
      const { hash, height, stateHash } = block;
      head = { height, timeMs: block.timeMs, hash, stateHash };
      for (const each of [told, markets, faucet, tape, explorer, history]) each.onBlock(block);
      return { head, receipts, rows };
    },
    dump() {
      // Where nothing has happened, what rode along goes on as it came, rows of the release before too.
      if (payload !== undefined && !isMoved) {
        const { companions: came, versions } = payload;
        return { head, state: dump(state), companions: came, versions };
      }
      const found = dumped.map((each) => ({ each, data: each.dump() }));
      const present = found.filter(({ data }) => data !== undefined);
      return {
        head,
        state: dump(state),
        companions: Object.fromEntries(present.map(({ data, each }) => [each.name, data])),
        versions: Object.fromEntries(present.map(({ each }) => [each.name, each.version])),
      };
    },
  };
}

/** Throws when the payload is of another shape. */
function restoredOf(hashText, { head, state }) {
  if (state.format !== DUMP_VERSION && state.format !== PACKED_DUMP_VERSION) {
    throw new Error(`its dump has the format ${state.format}`);
  }
  const restored = restore(state);
  if (stateHashOf(hashText, head.height, restored.digest.hex()) !== head.stateHash) {
    throw new Error('its state is not that of its block');
  }
  return restored;
}

function restoreCompanion(companion, payload) {
  const { name } = companion;
  const data = payload?.companions[name];
  if (data === undefined) return;
  const version = payload.versions?.[name] ?? 1;
  if (version > companion.version) throw new Error(`its ${name} has the version ${version}`);
  companion.restore(data, version);
}

/** The start of this era after rules 1 names no versions: what came along is of the release before. */
function isInTheMiddle(payload) {
  return payload?.versions !== undefined;
}
