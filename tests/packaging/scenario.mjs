import {
  createClient,
  createHasher,
  privateKeyWallet,
  randomPrivateKey,
  signAction,
} from '@oddlot/sdk';

/**
 * The first steps of an external user of the package on any host: sign, query, trade, subscribe.
 */
export async function run({ url, vector }) {
  const { nonce, serviceNetwork, chainId, apiVersion, privateKey } = vector;
  const hasher = createHasher({ serviceNetwork, chainId, apiVersion });
  const signing = { hasher, wallet: privateKeyWallet(privateKey) };
  const signed = await signAction(JSON.parse(vector.action), { nonce }, signing);

  const wallet = privateKeyWallet(randomPrivateKey());
  const client = createClient({ url, wallet });
  const { universe } = await client.info.perpMeta();
  const { index: a, name } = universe.find((perp) => perp.name === 'ETH-USDC');
  await client.faucet({ user: wallet.address });
  const updates = client.streams.orderUpdates({ user: wallet.address });
  await updates.ready;
  const { markPx } = await client.info.activeAssetData({ user: wallet.address, coin: String(a) });
  const p = String(Math.floor(Number(markPx) * 0.95));
  const order = { a, b: true, p, s: '0.01', r: false, t: { limit: { tif: 'Gtc' } } };
  const reply = await client.exchange.order({ orders: [order] }, { confirm: 'executed' });
  let receivedOid;
  for await (const event of updates) {
    if (event.type !== 'data' || event.data.length === 0) continue;
    receivedOid = event.data[0].order.oid;
    break;
  }
  client.close();
  const { oid, state } = reply.orders[0];
  const hasOwnSocket = typeof WebSocket === 'function';
  return { txHash: signed.txHash, name, state, isReceived: receivedOid === oid, hasOwnSocket };
}
