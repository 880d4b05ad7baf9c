// Built against the tree of release 0.3.0, not this one: see README.md.
import {
  applyBlock,
  checkInvariants,
  createState,
  dump,
  DUMP_VERSION,
  fromFormat3,
  PACKED_DUMP_VERSION,
  restore,
  ROWS_DUMP_VERSION,
} from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
import { FollowedModels } from '#release/history/archivist/followed-models.ts';
import { RecentChanges } from '#release/history/archivist/recent-changes.ts';
import {
  createBlockHasher,
  createTextHasher,
  GENESIS_HEAD,
  stateHashOf,
} from '#release/replica/block-hash.ts';

/** The faucet interval is a setting; the reader of these grants drops expired ones. */
const GRANTS_KEPT_MS = 7 * 86_400_000;

const DUMPS_READ = [DUMP_VERSION, ROWS_DUMP_VERSION, PACKED_DUMP_VERSION];

/** The replica of the release with all projections of its snapshots, without files or a clock. */
export async function createEngine() {
  const hashText = await createTextHasher();
  return { rules: 3, eraStart, open: (payload) => openReplica(hashText, payload) };
}

/** Migrates the last state under rules 2 to the first state of this era. */
function eraStart(state) {
  const restored = restore(fromFormat3(state));
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
  const attached = [];
  const listeners = [];
  const source = {
    get state() {
      return state;
    },
    attach(projection) {
      attached.push(projection);
      listeners.push((block) => projection.onBlock(block));
    },
    onBlock: (listener) => listeners.push(listener),
  };
  // Market texts are looked up for subscribers only, and an earlier era has none.
  const changes = new RecentChanges(() => undefined);
  const { history } = new FollowedModels(source, {
    faucetEveryMs: GRANTS_KEPT_MS,
    isTold: () => false,
    changes,
    onRows: (block) => {
      rows = block;
      receipts = block.receipts;
      changes.add(block);
    },
  });
  for (const each of attached) restoreCompanion(each, payload);
  // A snapshot without projections of the history cannot continue them.
  const isKept = !isInTheMiddle(payload) || payload.companions.history !== undefined;
  const dumped = attached.filter((each) => isKept || (each !== history && each !== changes));
  return {
    /** Applies an entry of the log; returns the receipts and rows that it completed. */
    apply(entry) {
      const commands = entry.commands.map(({ command }) => command);
      const block = { height: entry.seq, timeMs: timeMs(entry.timeMs), commands };
      const result = applyBlock(state, block, history.observer);
      isMoved = true;
      const applied = hashBlock(head, entry, result);
      const { hash, height, stateHash } = applied;
      head = { height, timeMs: applied.timeMs, hash, stateHash };
      for (const listener of listeners) listener(applied);
      return { head, receipts, rows };
    },
    dump() {
      // An era without blocks hands on the projections as they came, including those of earlier releases.
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

/** Throws when the payload has another shape. */
function restoredOf(hashText, { head, state }) {
  if (!DUMPS_READ.includes(state.format)) {
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

/** The start of this era after rules 1 names no versions: its projections are those of the release before. */
function isInTheMiddle(payload) {
  return payload?.versions !== undefined;
}
