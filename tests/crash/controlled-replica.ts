import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkInvariants, type Command, type State } from '@oddlot/engine';
import { NETWORKS, parseInfo } from '@oddlot/protocol';
import { type Address, address, hash, timeMs } from '@oddlot/units';
import { genesisCommands } from '../../packages/replica/src/genesis-commands.ts';
import { FileJournal } from '../../packages/replica/src/log/file-journal.ts';
import { EraStore, SnapshotStore } from '../../packages/replica/src/log/checked-stores.ts';
import type { RulesStep } from '../../packages/replica/src/earlier-engine.ts';
import { encodeSnapshot } from '../../packages/replica/src/snapshot-codec.ts';
import { MarketData } from '../../packages/translate/src/read-models/market-data.ts';
import { LocalReplica } from '../../packages/replica/src/local-replica.ts';
import { answerInfo, isStateQuery } from '../../packages/translate/src/answer-info.ts';
import { temporaryData } from '../support/venue-process.ts';
import type { Json } from '../support/client.ts';

/**
 * A venue without an edge on a real journal. The test controls its clock, so that crashes can be
 * tested over hours or with fifty thousand accounts. A crash is a copy of the files; the replica
 * that wrote them is no longer used.
 */
export class ControlledReplica {
  readonly folder: string;
  readonly replica: LocalReplica;
  readonly markets: MarketData;
  #journal: FileJournal;
  readonly #clock: { ms: number };
  #nonce: number;

  private constructor(
    parts: Pick<ControlledReplica, 'folder' | 'markets' | 'replica'> & {
      readonly journal: FileJournal;
      readonly clock: { ms: number };
      readonly nonce: number;
    },
  ) {
    this.folder = parts.folder;
    this.replica = parts.replica;
    this.markets = parts.markets;
    this.#journal = parts.journal;
    this.#clock = parts.clock;
    this.#nonce = parts.nonce;
  }

  static async open(options: {
    readonly nowMs: number;
    readonly folder?: string;
    readonly snapshotEveryBlocks?: number;
    readonly nonce?: number;
    readonly step?: RulesStep;
  }): Promise<ControlledReplica> {
    const folder = options.folder ?? (await temporaryData());
    const clock = { ms: options.nowMs };
    const read = { nowMs: () => clock.ms };
    const onFatal = (error: unknown) => {
      throw error;
    };
    const directory = join(folder, 'journal');
    const journal = await FileJournal.open({ directory, clock: read, onFatal });
    const snapshots = new SnapshotStore({ directory: join(folder, 'snapshots') });
    const markets: MarketData = new MarketData(() => replica.state);
    const replica: LocalReplica = await LocalReplica.create({
      log: journal,
      snapshots,
      eras: new EraStore({ directory: join(folder, 'eras') }),
      clock: read,
      genesis: genesisCommands('Oddlot-Testnet'),
      step: options.step,
    });
    markets.attachTo(replica);
    if (options.snapshotEveryBlocks !== undefined) {
      writeSnapshots(replica, snapshots, options.snapshotEveryBlocks);
    }
    await replica.start().catch(async (error: unknown) => {
      await journal.close();
      throw error;
    });
    const nonce = options.nonce ?? clock.ms;
    return new ControlledReplica({ folder, journal, replica, markets, clock, nonce });
  }

  get nowMs(): number {
    return this.#clock.ms;
  }

  get state(): State {
    return this.replica.state;
  }

  async pass(ms: number): Promise<void> {
    this.#clock.ms += ms;
    await this.replica.tick();
  }

  /** Proposes commands concurrently. None of them may be rejected. */
  async all(commands: readonly Command[]): Promise<void> {
    const executed = await Promise.all(commands.map((command) => this.replica.propose(command)));
    for (const { outcome } of executed) {
      if (outcome.reject !== undefined) throw new Error(`refused: ${outcome.reject.reason}`);
    }
  }

  authority(signer: Address) {
    const nonce = ++this.#nonce;
    return { signer, nonce, txHash: hash(`0x${nonce.toString(16).padStart(64, '0')}`) };
  }

  ask(query: object): Json {
    const parsed = parseInfo(query);
    if (!parsed.ok || !isStateQuery(parsed.query)) throw new Error('the query is not answered');
    const context = { markets: this.markets, network: NETWORKS.testnet, settings: SETTINGS };
    const answered = answerInfo({ state: this.state, ...context }, parsed.query);
    if (!answered.ok) throw new Error(answered.error.message);
    return JSON.parse(JSON.stringify(answered.data));
  }

  /**
   * Opens a copy of the current files as a new process would. The original replica keeps running.
   */
  async crashed(
    options: { readonly snapshotEveryBlocks?: number } = {},
  ): Promise<ControlledReplica> {
    const folder = await crashImage(this.folder);
    const people = { nowMs: this.nowMs, nonce: this.#nonce };
    return ControlledReplica.open({ folder, ...people, ...options });
  }

  checkInvariants(): void {
    checkInvariants(this.state);
  }

  async close(): Promise<void> {
    await this.#journal.close();
  }
}

/** Writes one snapshot at a time, as the indexer thread does. */
function writeSnapshots(
  replica: LocalReplica,
  snapshots: SnapshotStore,
  everyBlocks: number,
): void {
  let height = 0;
  let isWriting = false;
  replica.onBlock(() => {
    if (replica.isReplaying || isWriting || replica.head.height - height < everyBlocks) return;
    isWriting = true;
    height = replica.head.height;
    const written = snapshots.write({ height, pieces: [...encodeSnapshot(replica.payload())] });
    void written.finally(() => (isWriting = false));
  });
}

/**
 * Copies a folder while files are being written to it. If a file disappears between listing and
 * reading, the copy is inconsistent and is repeated. The journal is copied last, because it may be
 * ahead of the snapshots but never behind them.
 */
async function crashImage(from: string): Promise<string> {
  for (;;) {
    const folder = await temporaryData();
    try {
      const names = (await readdir(from)).filter((name) => name !== 'journal');
      for (const name of [...names, 'journal']) {
        await cp(join(from, name), join(folder, name), { recursive: true });
      }
      return folder;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}

export const testAddress = (number: number): Address =>
  address(`0x${number.toString(16).padStart(40, '0')}`);

/**
 * The price tick is one cent, sizes have two decimals, and the fee rate is the one in the
 * R-outcome-fee example.
 */
export const GRID = {
  szDecimals: 2,
  priceTick: 100,
  minOrderSize: 500,
  maxOrderSize: 10_000_000,
  takerFeeE8: 7_000_000,
  orderDelayMs: 0,
};

/** Returns the commands that list an event with a single market that is open for one hour. */
export function listing(nowMs: number): readonly Command[] {
  const span = { startMs: timeMs(nowMs), endMs: timeMs(nowMs + 3_600_000) };
  const texts = { title: 'Rain', description: '', category: 'nature', tags: [] };
  const images = { image: null, icon: null };
  return [
    {
      type: 'registerEvent',
      event: { slug: 'rain', ...texts, ...images, mutuallyExclusive: false, ...span },
    },
    {
      type: 'registerMarket',
      market: {
        ...GRID,
        ...span,
        eventSlug: 'rain',
        slug: 'rain',
        question: 'Will it rain?',
        groupTitle: null,
        description: '',
        resolutionSource: 'the window',
        outcomes: ['Yes', 'No'],
        underlying: null,
      },
    },
  ];
}

const NOBODY = `0x${'0'.repeat(40)}`;
const SETTINGS = {
  bridgeContractAddress: NOBODY,
  usdcContractAddress: NOBODY,
  settlementChainId: 1,
  chainName: '',
};
