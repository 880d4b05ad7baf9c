import { limitOrder, type Client, type ExecutedReply } from '@oddlot/sdk';
import { connect } from './connect.ts';

/**
 * A front end that charges a fee for the orders it sends. Users approve it once, up to a maximum
 * rate, with their account's key. Each order then names the builder and the fee, and the venue
 * collects it.
 */

/** The fee in tenths of a basis point, the unit used in orders: 20 is 0.02%. */
export const FEE = 20;
const MAX_FEE_RATE = '0.02%';

/** Approves the builder from the user's account, unless it is already approved. */
export async function approve(account: Client, builder: string): Promise<void> {
  const user = account.wallet!.address;
  const approved = await account.info.approvedBuilders({ user });
  const isKnown = approved.some(({ builder: known }) => known === builder.toLowerCase());
  if (isKnown) return;
  const terms = { builder, maxFeeRate: MAX_FEE_RATE };
  await account.exchange.approveBuilderFee(terms, { confirm: 'executed' });
}

/**
 * Sends a user's order with the fee. If the venue drops the fee, the order is still executed and
 * the reply includes a warning.
 */
export async function sendFor(
  client: Client,
  builder: string,
  order: Parameters<typeof limitOrder>[0],
): Promise<ExecutedReply> {
  const fee = { b: builder, f: FEE };
  const reply = await client.exchange.order(
    { orders: [limitOrder(order)], builder: fee },
    { confirm: 'executed' },
  );
  if (reply.status !== 'executed')
    throw new Error(`The result is unknown. Check transaction ${reply.txHash}`);
  for (const warning of reply.warnings)
    console.warn('builder fee not charged:', JSON.stringify(warning));
  return reply;
}

/** Claims the earned fees for the builder's account, and returns the amount. */
export async function collect(builder: Client): Promise<string> {
  const user = builder.wallet!.address;
  const { unclaimedRewards } = await builder.info.builderState({ user });
  if (Number(unclaimedRewards) > 0)
    await builder.exchange.claimBuilderRewards({ confirm: 'executed' });
  return unclaimedRewards;
}

if (import.meta.main) {
  const [builder, user] = [connect('BUILDER'), connect('ODDLOT')];
  const address = builder.wallet!.address;
  await approve(user, address);
  const { universe } = await user.info.perpMeta();
  const { levels } = await user.info.l2Book({ coin: String(universe[0]!.index) });
  const price = levels[1][0]!.px;
  const order = {
    asset: universe[0]!.index,
    side: 'buy',
    price,
    size: '0.001',
    tif: 'Ioc',
  } as const;
  console.log((await sendFor(user, address, order)).orders[0]);
  console.log('earned', await collect(builder));
}
