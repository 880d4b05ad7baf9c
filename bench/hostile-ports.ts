/** Every port of a venue with a local chain and a relay that strangers reach. */
export type HostilePorts = {
  readonly venue: number;
  readonly chain: number;
  readonly relay: number;
  readonly relayChain: number;
};

const TRIES_MAX = 240;
const PAUSE_MS = 250;

/** Asks the venue where its chain and its relay are, and the relay for its own chain; the relay comes up last. */
export async function hostilePortsOf(venue: string): Promise<HostilePorts> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const found = await ask(venue).catch(() => undefined);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`the relay of ${venue} does not serve`);
}

type Settings = {
  readonly data: { readonly settlement_rpc_url: string; readonly relay_url: string };
};
type Chains = {
  readonly data: readonly { readonly name: string; readonly rpcUrl: string | null }[];
};

async function ask(venue: string): Promise<HostilePorts | undefined> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ type: 'settings' });
  const settings = await fetch(`${venue}/info`, { method: 'POST', headers, body });
  const { relay_url: relay, settlement_rpc_url: chain } = ((await settings.json()) as Settings)
    .data;
  const chains = await fetch(`${relay}/api/v1/bridge/chains`);
  const listed = ((await chains.json()) as Chains).data;
  const second = listed.find(({ rpcUrl }) => rpcUrl !== null && rpcUrl !== chain)?.rpcUrl;
  if (second === undefined || second === null) return undefined;
  const port = (url: string): number => Number(new URL(url).port);
  return { venue: port(venue), chain: port(chain), relay: port(relay), relayChain: port(second) };
}
