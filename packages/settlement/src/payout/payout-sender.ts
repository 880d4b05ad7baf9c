import type { Hex } from 'viem';
import { setImmediate } from 'node:timers/promises';
import {
  batchData,
  type BridgeContracts,
  type BridgeNow,
  cancelData,
  finishData,
  PAUSED,
  payOutData,
  readBridge,
  type Refusal,
  refusalOf,
  REFUSED,
  wouldTransfer,
} from '@oddlot/custody/bridge-contract';
import { type ChainClient, ChainRevertError, ChainUnavailableError } from '@oddlot/custody/chain';
import type { Relayer, SendRecord } from '@oddlot/custody/relayer';
import type { Signed, Validator, ValidatorRequest } from '@oddlot/custody/signing';
import { type PayoutBook, refusalText, TEXTS } from './payout-book.ts';
import { payoutOf, type PayoutRecord, signaturesOf, signatureTexts } from './payout-record.ts';

type PayoutSenderOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly validators: readonly Validator[];
  readonly relayer?: Pick<Relayer, 'address' | 'find' | 'submit' | 'waiting'> | undefined;
  readonly book: PayoutBook;
  /**
   * The gas per payout in a batch, if it is known. Otherwise the chain has to determine it by
   * search, which is expensive.
   */
  readonly gasEach?: bigint | undefined;
  /** How long a token may refuse a destination before the payout is cancelled, in milliseconds. */
  readonly patienceMs: number;
  readonly now: () => number;
};

type PayoutSteps = {
  readonly pay: readonly PayoutRecord[];
  readonly finish: readonly PayoutRecord[];
  readonly cancel: readonly PayoutRecord[];
};

/**
 * The maximum number of payouts per transaction. A payout that has failed is sent separately, and
 * batches shrink if an endpoint cannot estimate them.
 */
const BATCH_MAX = 25;
const SIGNING_MAX = 8;
const REFUSALS_MIN = 2;
/**
 * The gas used by the batch itself, including the reserve that the bridge requires before the last
 * transfer.
 */
const BATCH_GAS = 300_000n;
const PAY = 'payout';
const FINISH = 'finish';
const CANCEL = 'cancel';
const KEY = /^(?:payout|finish|cancel):([\d.]+):\d+$/;

/**
 * Sends payouts, the completion of queued ones, and cancellations. The bridge pays a withdrawal
 * number once and never after its cancellation (R-withdraw), so sending twice would waste gas but
 * lose no funds. Nevertheless, nothing is sent while a transaction for the same number is pending.
 */
export class PayoutSender {
  readonly #options: PayoutSenderOptions;
  /**
   * Halved if an estimate fails and increased by one on each success, because endpoints limit how
   * long a call can run.
   */
  #batchMax = BATCH_MAX;

  constructor(options: PayoutSenderOptions) {
    this.#options = options;
  }

  /** Returns pending transactions by withdrawal number. */
  underWay(): ReadonlyMap<number, SendRecord> {
    const found = new Map<number, SendRecord>();
    for (const sent of this.#options.relayer?.waiting() ?? []) {
      for (const id of KEY.exec(sent.key)?.[1]?.split('.') ?? []) found.set(Number(id), sent);
    }
    return found;
  }

  find(key: string): SendRecord | undefined {
    return this.#options.relayer?.find(key);
  }

  /** Returns true if a transaction was sent. */
  async send({ cancel, finish, pay }: PayoutSteps): Promise<boolean> {
    const { book, client, contracts, relayer } = this.#options;
    const all = [...pay, ...finish, ...cancel];
    if (all.length === 0) return false;
    if (relayer === undefined) {
      for (const record of all) book.hold(record, TEXTS.noKey);
      return false;
    }
    const bridge = await readBridge(client, contracts);
    const ready = await this.#ready(pay, bridge);
    let isSent = await this.#payOut(ready);
    for (const record of finish) isSent = (await this.#finish(record, bridge)) || isSent;
    const givenUp = [...pay, ...finish].map((record) => book.get(record.withdrawalId) ?? record);
    const toCancel = [...cancel, ...givenUp.filter((record) => record.cancel !== undefined)];
    for (const record of toCancel) isSent = (await this.#cancel(record, bridge)) || isSent;
    return isSent;
  }

  /** Returns the payouts that the bridge can currently pay, with their signatures. */
  async #ready(
    records: readonly PayoutRecord[],
    bridge: BridgeNow,
  ): Promise<readonly PayoutRecord[]> {
    const { book } = this.#options;
    const ready: PayoutRecord[] = [];
    let left = bridge.balance;
    const payable: PayoutRecord[] = [];
    for (const record of records) {
      const usd = BigInt(record.usd);
      const isNow = usd < bridge.largeUsd;
      if (bridge.isPaused) book.hold(record, TEXTS.paused);
      else if (isNow && usd > left) this.#lacks(record);
      else {
        if (isNow) left -= usd;
        payable.push(record);
      }
    }
    for (let from = 0; from < payable.length; from += SIGNING_MAX) {
      const some = payable.slice(from, from + SIGNING_MAX);
      const signed = await Promise.all(some.map((record) => this.#signed(record, bridge)));
      ready.push(...signed.filter((record) => record !== undefined));
      // Signing blocks the thread, so other requests are processed between payouts.
      await setImmediate();
    }
    const taken: PayoutRecord[] = [];
    for (const record of ready) if (await this.#isTaken(record)) taken.push(record);
    return taken;
  }

  /**
   * Delays a payout that exceeds the bridge's balance. This is not evidence against its
   * destination.
   */
  #lacks(record: PayoutRecord): void {
    const { book } = this.#options;
    book.hold(book.update(record, { refused: undefined }), TEXTS.balance);
  }

  /** Returns the payout with enough signatures by current validators of the bridge. */
  async #signed(record: PayoutRecord, bridge: BridgeNow): Promise<PayoutRecord | undefined> {
    const { book } = this.#options;
    const known = signaturesOf(record).filter(({ address }) => bridge.validators.has(address));
    if (known.length >= bridge.threshold) return record;
    const signed = await this.#collect(record, bridge, {
      type: 'payout',
      payout: payoutOf(record),
    });
    if (signed === undefined) return undefined;
    const status = record.status === 'held' ? 'signed' : record.status;
    return book.update(record, { signatures: signatureTexts(signed), status, error: undefined });
  }

  async #collect(
    record: PayoutRecord,
    bridge: BridgeNow,
    request: ValidatorRequest,
  ): Promise<readonly Signed[] | undefined> {
    const { book, validators } = this.#options;
    try {
      return await collectSignatures(request, { bridge, validators });
    } catch (error) {
      if (!(error instanceof TooFewSignaturesError)) throw error;
      // Users see why their withdrawal is being returned; only operators see the validators'
      // responses.
      const forUser = request.type === 'cancellation' ? record.cancel : undefined;
      book.hold(record, forUser ?? error.message, error.detail);
      return undefined;
    }
  }

  /**
   * Returns whether the bridge would pay. Payouts that were refused before, or whose destination
   * has refused others, are simulated first, which costs no gas.
   */
  async #isTaken(record: PayoutRecord): Promise<boolean> {
    const { book, client, contracts } = this.#options;
    if (record.refused === undefined && book.returnsBefore(record) === 0) return true;
    try {
      const data = payOutData(payoutOf(record), signaturesOf(record));
      await client.call({ to: contracts.bridge, data });
      return true;
    } catch (error) {
      if (!(error instanceof ChainRevertError)) throw error;
      this.#refuse(record, refusalOf(error));
      return false;
    }
  }

  /**
   * Marks a payout for cancellation after the token itself has refused it repeatedly (R-withdraw).
   */
  #refuse(record: PayoutRecord, refusal: Refusal): void {
    const { book, patienceMs } = this.#options;
    if (refusal === PAUSED) {
      book.hold(record, refusalText(refusal));
      return;
    }
    const refused = book.refuse(record, refusal);
    const times = refused.refused?.times ?? 0;
    // A withdrawal that was settled as paid and then dropped by the chain can only be paid, because
    // the account no longer has a claim.
    const isFinal =
      book.isOpen(record) && (refusal === REFUSED.transfer || refusal === REFUSED.invalid);
    if (!isFinal || times < REFUSALS_MIN) return;
    if (book.isRefusedForGood(refused, patienceMs)) book.giveUp(refused, refusal);
  }

  async #payOut(ready: readonly PayoutRecord[]): Promise<boolean> {
    const { book } = this.#options;
    // Signatures are stored before they are sent to any endpoint.
    await book.flush();
    const again = ready.filter(({ refused }) => refused !== undefined);
    const fresh = ready.filter(({ refused }) => refused === undefined);
    const batches = again.map((record) => [record]);
    for (let from = 0; from < fresh.length; from += this.#batchMax) {
      batches.push(fresh.slice(from, from + this.#batchMax));
    }
    let isSent = false;
    for (const batch of batches) {
      const data = batchData(
        batch.map((record) => ({ payout: payoutOf(record), signatures: signaturesOf(record) })),
      );
      isSent = (await this.#submit(PAY, batch, data)) || isSent;
    }
    return isSent;
  }

  async #finish(record: PayoutRecord, bridge: BridgeNow): Promise<boolean> {
    const { book } = this.#options;
    if (bridge.isPaused) book.hold(record, TEXTS.paused);
    else if (BigInt(record.usd) > bridge.balance) this.#lacks(record);
    else return this.#submit(FINISH, [record], finishData(record.withdrawalId));
    return false;
  }

  async #cancel(record: PayoutRecord, bridge: BridgeNow): Promise<boolean> {
    const { cancel: reason = '', user, withdrawalId } = record;
    const { book } = this.#options;
    const token = await this.#tokenNow(record, bridge);
    if (token === 'takes it') {
      const changes = { cancel: undefined, refused: undefined, error: undefined };
      book.scheduleCheck(book.update(record, changes));
      return false;
    }
    if (token === 'is stopped') {
      book.hold(record, TEXTS.tokenStill);
      return false;
    }
    const about = { withdrawalId: BigInt(withdrawalId), user, reason };
    const signed = await this.#collect(record, bridge, { type: 'cancellation', ...about });
    if (signed === undefined) return false;
    return this.#submit(CANCEL, [record], cancelData(withdrawalId, signed));
  }

  /**
   * Checks whether the token still refuses this destination. A destination that is accepted again
   * is paid, because validators also check this and would not sign its cancellation. If a token
   * refuses all of the bridge's transfers, it has stopped for everyone, and no withdrawal is
   * cancelled. A withdrawal that the engine has returned remains cancelled.
   */
  async #tokenNow(
    record: PayoutRecord,
    bridge: BridgeNow,
  ): Promise<'takes it' | 'is stopped' | 'refuses it'> {
    const { book, client, contracts, relayer } = this.#options;
    const usd = BigInt(record.usd);
    const isByToken = record.refused?.code === REFUSED.transfer;
    const isConclusive =
      isByToken && book.isOpen(record) && !bridge.isPaused && usd <= bridge.balance;
    if (!isConclusive || relayer === undefined) return 'refuses it';
    const { head: block } = await client.head();
    const takes = (to: Hex): Promise<boolean> =>
      wouldTransfer(client, contracts, { to, usd, block });
    if (await takes(record.destination)) return 'takes it';
    return (await takes(relayer.address)) ? 'refuses it' : 'is stopped';
  }

  /** Submits a transaction under a new key. Returns false if the bridge would reject it. */
  async #submit(
    what: typeof PAY | typeof FINISH | typeof CANCEL,
    records: readonly PayoutRecord[],
    data: `0x${string}`,
  ): Promise<boolean> {
    const { book, contracts, gasEach, relayer } = this.#options;
    if (relayer === undefined) return false;
    const ids = records.map(({ withdrawalId }) => withdrawalId).join('.');
    let times = 0;
    while (relayer.find(`${what}:${ids}:${times}`) !== undefined) times += 1;
    const key = `${what}:${ids}:${times}`;
    try {
      const { attempts } = await relayer.submit({
        key,
        to: contracts.bridge,
        data,
        ...(what === PAY && gasEach !== undefined
          ? { gas: BATCH_GAS + gasEach * BigInt(records.length) }
          : {}),
      });
      const txHash = attempts.at(-1)?.txHash;
      for (const record of records) {
        book.wait(book.update(record, { status: 'sent', sent: key, txHash }), record.cancel);
      }
      this.#batchMax = Math.min(BATCH_MAX, this.#batchMax + 1);
      return true;
    } catch (error) {
      if (error instanceof ChainUnavailableError) {
        this.#batchMax = Math.min(this.#batchMax, Math.ceil(records.length / 2));
      }
      if (!(error instanceof ChainRevertError)) throw error;
      const refusal = refusalOf(error);
      const isEarly = what === FINISH && refusal === REFUSED.tooEarly;
      for (const record of records) {
        if (isEarly || what === CANCEL) book.hold(record, record.cancel ?? refusalText(refusal));
        else this.#refuse(record, refusal);
      }
      return false;
    }
  }
}

const ASK_MS_MAX = 10_000;

export class TooFewSignaturesError extends Error {
  override readonly name = 'TooFewSignaturesError';
  /**
   * The other validators' responses. They are for operators only, because they may identify the
   * validators.
   */
  readonly detail: string;

  constructor(message: string, detail: string) {
    super(message);
    this.detail = detail;
  }
}

type Signers = {
  readonly validators: readonly Validator[];
  readonly bridge: Pick<BridgeNow, 'threshold' | 'validators'>;
};

/**
 * Collects as many signatures as the bridge requires, sorted by signer in ascending order. All
 * validators are queried concurrently; once there are enough signatures, the remaining requests are
 * aborted. Unknown signers are omitted, because a single one would invalidate the batch.
 */
export async function collectSignatures(
  request: ValidatorRequest,
  { bridge, validators }: Signers,
): Promise<readonly Signed[]> {
  const { threshold } = bridge;
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(ASK_MS_MAX)]);
  const found = new Map<Hex, Signed>();
  const faults = validators.map(({ name }) => `${name}: no answer yet`);
  const { promise: isEnough, resolve } = Promise.withResolvers<void>();
  const asked = validators.map(async (validator, at) => {
    try {
      const signed = await validator.sign(request, signal);
      const address = signed.address.toLowerCase() as Hex;
      if (!bridge.validators.has(address))
        throw new Error(`${address} is not a validator of the bridge`);
      if (found.size < threshold) found.set(address, { ...signed, address });
      faults[at] = '';
      if (found.size >= threshold) resolve();
    } catch (error) {
      faults[at] = `${validator.name}: ${faultText(error)}`;
    }
  });
  await Promise.race([isEnough, Promise.all(asked)]);
  enough.abort();
  if (found.size < threshold) {
    const message = `${found.size} of ${threshold} validators signed`;
    throw new TooFewSignaturesError(message, faults.filter((each) => each !== '').join('; '));
  }
  return sortedSigners([...found.values()]);
}

/**
 * Sorts signatures in the order that the bridge requires. All addresses are in lower case at this
 * point.
 */
function sortedSigners(signed: readonly Signed[]): readonly Signed[] {
  return signed.toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

function faultText(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
