import type { Client, Settings } from '@oddlot/sdk';
import { reader, venueNow } from '../../../market/venue.ts';
import { providerOf } from '../../../session/browser-wallets.ts';
import { loadSigning } from '../../../session/load-signing.ts';
import { joinChain, permitNonce, sendDeposit, toMicro } from '../../../session/settlement-chain.ts';
import { noteDeposit } from './deposits-under-way.ts';

export type DepositWay = 'permit' | 'transaction';
/** What a person waits for, step by step. */
export type DepositStep = 'sign' | 'approve' | 'send';

type DepositOrder = {
  readonly user: string;
  readonly owner: Client;
  readonly settings: Settings;
  readonly amount: string;
  readonly way: DepositWay;
  readonly onStep: (step: DepositStep) => void;
};

const PERMIT_SECONDS = 3_600;

/** Sends a deposit; it is under way from then on, until the ledger has it. */
export async function deposit(order: DepositOrder): Promise<void> {
  const { amount, user, way } = order;
  const txHash = way === 'permit' ? await byPermit(order) : await byTransaction(order);
  noteDeposit({ user, amount, txHash, sentMs: venueNow() });
}

/** A signature is all that it takes: the venue pays for the transaction. */
async function byPermit({ amount, onStep, owner, settings, user }: DepositOrder): Promise<string> {
  const provider = providerOf(user);
  onStep('sign');
  if (provider !== undefined) await joinChain(provider, settings);
  const nonce = await permitNonce(settings, user, provider);
  const { signPermit } = await loadSigning();
  const signed = await signPermit(owner.wallet!, {
    settings,
    usd: Number(toMicro(amount)),
    nonce,
    deadline: Math.floor(venueNow() / 1_000) + PERMIT_SECONDS,
  });
  onStep('send');
  const { txHash } = await reader.info.depositWithPermit(signed);
  return txHash;
}

/** For wallets that are contracts, whose signatures no permit takes. */
async function byTransaction(order: DepositOrder): Promise<string> {
  const { amount, onStep, settings, user } = order;
  const provider = providerOf(user);
  if (provider === undefined) throw new Error('No connected wallet can send the transaction');
  onStep('approve');
  return sendDeposit(provider, settings, {
    from: user,
    usd: toMicro(amount),
    onApproved: () => onStep('send'),
  });
}
