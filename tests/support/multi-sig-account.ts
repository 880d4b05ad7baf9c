import { expect } from 'vitest';
import type { Actor, World } from './actors.ts';
import type { Reply } from './client.ts';
import {
  inner,
  send,
  signerSet,
  transfer,
  unauthorized,
  type Inner,
  type Refusal,
  type Wrap,
} from './keys.ts';
import { succeeded } from './perps.ts';

/** An account with 1,000 USDC that becomes a two-of-three multi-sig account. */
export class MultiSigAccount {
  readonly account: Actor;
  /** The members do not need accounts themselves. */
  readonly members: readonly [Actor, Actor, Actor];

  private constructor(account: Actor, members: readonly [Actor, Actor, Actor]) {
    this.account = account;
    this.members = members;
  }

  static async of(world: World): Promise<MultiSigAccount> {
    const members = ['first', 'second', 'third'].map((name) => world.unfunded(name));
    const [first, second, third] = members;
    return new MultiSigAccount(await world.resident('company'), [first!, second!, third!]);
  }

  async found(): Promise<void> {
    const reply = await convert(this.account, signerSet(this.members, 2));
    succeeded(reply);
    expect(reply.json.data.type).toBe('ConvertToMultiSigUser');
  }

  /**
   * Returns signing options. The first member sends the wrapper, and the first two members sign the
   * action.
   */
  quorum(changes: Partial<Wrap> = {}): Wrap {
    const [first, second] = this.members;
    return { account: this.account, sender: first, signers: [first, second], ...changes };
  }

  /** Returns a transfer from the perp to the outcome sub-account, for use inside a wrapper. */
  toOutcome(amount: string): Inner {
    const { address } = this.account;
    return inner('tokenSend', transfer({ to: address, amount, into: 'outcome' }));
  }

  /** Returns the rejection expected when an unauthorised sender sends a wrapper. */
  isNotLedBy(sender: Actor): Refusal {
    const message = `Signer ${sender.address} is not authorized for ${this.account.address}`;
    return unauthorized(message, { field: 'payload.outerSigner', got: sender.address });
  }
}

export async function convert(actor: Actor, signers: string): Promise<Reply> {
  return send(actor, 'convertToMultiSigUser', { signers });
}

export function tooFew(count: number, threshold: number): Refusal {
  return unauthorized(`Not enough signatures: ${count} of ${threshold}`, {
    field: 'signatures',
    got: count,
    allowed: { min: threshold },
  });
}

export function noMultiSig(user: string): Refusal {
  return unauthorized(`Not a multi-sig account: ${user}`, {
    field: 'payload.multiSigUser',
    got: user,
  });
}
