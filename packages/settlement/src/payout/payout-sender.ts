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
  /** Absent where the venue has no key to send with. */
  readonly relayer?: Pick<Relayer, 'address' | 'find' | 'submit' | 'waiting'> | undefined;
  readonly book: PayoutBook;
  /** What a payout of a batch gets, where that is known; else the chain is asked, which costs it a search. */
  readonly gasEach?: bigint | undefined;
  /** How long a token may refuse a destination before it is given up on. */
  readonly patienceMs: number;
  readonly now: () => number;
};

/** What the chain is to be told about. */
type Wanted = {
  readonly pay: readonly PayoutRecord[];
  readonly finish: readonly PayoutRecord[];
  readonly cancel: readonly PayoutRecord[];
};

/** Payouts of one transaction; what failed once goes alone, and fewer go where an endpoint says nothing to so many. */
const BATCH_MAX = 25;
/** Validators that are asked about several payouts at once. */
const SIGNING_MAX = 8;
/** A refusal counts as final when it came more than once. */
const REFUSALS_MIN = 2;
/** For the batch itself, and what the bridge wants to have left before the last transfer. */
const BATCH_GAS = 300_000n;
const PAY = 'payout';
const FINISH = 'finish';
const CANCEL = 'cancel';
const KEY = /^(?:payout|finish|cancel):([\d.]+):\d+$/;

/**
 * Brings payouts, the ends of large ones and cancellations onto the chain. The bridge pays a number once
 * and never after it was cancelled (R-withdraw), so that sending something twice costs gas and no money;
 * still nothing is sent while a transaction for the same number is under way.
 */
export class PayoutSender {
  readonly #options: PayoutSenderOptions;
  /** Half of what nobody could be asked about, and one more with each that went: endpoints limit how long a call may run. */
  #batchMax = BATCH_MAX;

  constructor(options: PayoutSenderOptions) {
    this.#options = options;
  }

  /** The transactions that no block has for good yet, by the number of the withdrawal. */
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

  /** True when something was sent. */
  async send({ cancel, finish, pay }: Wanted): Promise<boolean> {
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

  /** Those that the bridge can pay now, signed. */
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
      // Signing keeps the thread: requests have their turn in between.
      await setImmediate();
    }
    const taken: PayoutRecord[] = [];
    for (const record of ready) if (await this.#isTaken(record)) taken.push(record);
    return taken;
  }

  /** An empty bridge says nothing about the destination. */
  #lacks(record: PayoutRecord): void {
    const { book } = this.#options;
    book.hold(book.update(record, { refused: undefined }), TEXTS.balance);
  }

  /** With the signatures of validators that the bridge still has. */
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
      // Whoever waits for a return wants to know why it is one; what validators wait for is for operators.
      const told = request.type === 'cancellation' ? record.cancel : undefined;
      book.hold(record, told ?? error.message, error.detail);
      return undefined;
    }
  }

  /** What was refused before, or goes where others were refused, is asked about first: asking costs no gas. */
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

  /** R-withdraw: given up on when the token itself has refused it again and again. */
  #refuse(record: PayoutRecord, refusal: Refusal): void {
    const { book, patienceMs } = this.#options;
    if (refusal === PAUSED) {
      book.hold(record, refusalText(refusal));
      return;
    }
    const refused = book.refuse(record, refusal);
    const times = refused.refused?.times ?? 0;
    // What was settled as paid and lost by the chain can only be paid: the account has no claim any more.
    const isFinal =
      book.isOpen(record) && (refusal === REFUSED.transfer || refusal === REFUSED.invalid);
    if (!isFinal || times < REFUSALS_MIN) return;
    if (book.isRefusedForGood(refused, patienceMs)) book.giveUp(refused, refusal);
  }

  async #payOut(ready: readonly PayoutRecord[]): Promise<boolean> {
    const { book } = this.#options;
    // Signatures are kept before anybody sees them.
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
      book.lookSoon(book.update(record, changes));
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
   * Whether it is still this destination that the token refuses. One that it takes again is paid: validators who
   * look for themselves would not sign its cancellation. A token that moves nothing of the bridge's to anybody has
   * stopped for all, and ends no withdrawal. What the engine has returned stays cancelled.
   */
  async #tokenNow(
    record: PayoutRecord,
    bridge: BridgeNow,
  ): Promise<'takes it' | 'is stopped' | 'refuses it'> {
    const { book, client, contracts, relayer } = this.#options;
    const usd = BigInt(record.usd);
    const isByToken = record.refused?.code === REFUSED.transfer;
    const canTell = isByToken && book.isOpen(record) && !bridge.isPaused && usd <= bridge.balance;
    if (!canTell || relayer === undefined) return 'refuses it';
    const { head: block } = await client.head();
    const takes = (to: Hex): Promise<boolean> =>
      wouldTransfer(client, contracts, { to, usd, block });
    if (await takes(record.destination)) return 'takes it';
    return (await takes(relayer.address)) ? 'refuses it' : 'is stopped';
  }

  /** Under a key that was never used; false when the bridge would not take it. */
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

/** Too few validators signed. */
export class TooFewSignaturesError extends Error {
  override readonly name = 'TooFewSignaturesError';
  /** What the others said, which is for operators: users need not know who and where they are. */
  readonly detail: string;

  constructor(message: string, detail: string) {
    super(message);
    this.detail = detail;
  }
}

type Signers = {
  readonly validators: readonly Validator[];
  /** Of the bridge as it stands. */
  readonly bridge: Pick<BridgeNow, 'threshold' | 'validators'>;
};

/**
 * As many signatures as the bridge wants, ascending by signer. All are asked at once, the first ones that are enough do, and
 * nobody waits for the rest. Those that the bridge does not know are left out: a single one of them would spoil the others.
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

/** As the bridge wants them; by address, which has one spelling here. */
function sortedSigners(signed: readonly Signed[]): readonly Signed[] {
  return signed.toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

function faultText(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
