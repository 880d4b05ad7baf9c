import {
  ADDRESS,
  CHAIN_DOOR,
  FOLDER,
  HTTP_URL,
  list,
  PORT,
  SECRET_PLACE,
  setting,
  SWITCH,
  text,
  whole,
} from '@oddlot/host/settings';

export const CHAIN_SETTINGS = {
  chain: setting(
    text({
      pattern: /^(local|none|https?:\/\/[^,\s]+(,\s*https?:\/\/[^,\s]+)*)$/,
      expected: 'local, none, or URLs',
      placeholder: 'local|none|URL,URL',
    }),
    {
      unset: '`local` where there is a faucet, else `none`',
      help: 'the [settlement chain](../trade/deposits.md): `local`, `none`, or URLs of JSON-RPC endpoints, comma-separated; of several two must agree, so name three',
      isEveryday: true,
    },
  ),
  chainKeys: setting(FOLDER, {
    unset: 'none',
    help: 'folder with the keys of a local chain that [runs as a process of its own](cluster-deploy.md#local-chain-for-test-funds), whose port for replicas `chain` names',
  }),
  relay: setting(SWITCH, {
    unset: 'where the chain is local',
    help: 'starts a [relay](relay.md) on the port + 1, with a second chain on the port + 4; both are any free ones where the port is 0',
  }),
  relayAddress: setting(ADDRESS, {
    unset: 'none',
    help: 'address of a relay elsewhere, which may name pegs on the operations port (`POST /pegs`)',
  }),
  ...CHAIN_DOOR,
  chainPort: setting(PORT, {
    unset: 'the port + 3',
    help: 'port of JSON-RPC of the local chain; any free one where the port is 0',
  }),
  chainConfirmations: setting(whole(), {
    unset: '1 local, else 20',
    help: 'blocks that a deposit needs, its own included',
  }),
  chainEveryMs: setting(whole('ms'), {
    unset: '250 local, else 2000',
    help: 'milliseconds between two looks at the chain',
  }),
  chainMaxFeeGwei: setting(whole('gwei'), {
    default: 500,
    help: "the most that the venue's transactions offer for a unit of gas; above it they wait, and `/settlement` says so",
  }),
  chainMaxTipGwei: setting(whole('gwei'), {
    default: 20,
    help: 'the most of it that they offer as a tip, whatever endpoints say is usual; raise it where blocks ask for more',
  }),
  chainBumpAfterMs: setting(whole('ms'), {
    default: 30_000,
    help: 'milliseconds in no block until a transaction offers more',
  }),
  acceptReorganisation: setting(
    text({
      pattern: /^0x[0-9a-fA-F]{64}$/,
      expected: 'the hash of a block',
      placeholder: 'HASH',
    }),
    {
      unset: 'none',
      help: 'the block that took the place of a confirmed one: [the chain is taken as it is now](deposits-and-withdrawals.md#reorganisation)',
    },
  ),
  bridgeContract: setting(ADDRESS, {
    unset: 'none',
    help: 'address of the bridge on a chain that is not local',
  }),
  usdcContract: setting(ADDRESS, {
    unset: 'none',
    help: 'address of USDC on a chain that is not local',
  }),
  bridgeFromBlock: setting(whole('count', { min: 0 }), {
    default: 0,
    help: 'the block that the bridge was made in, or any before',
  }),
  reservesEveryMs: setting(whole('ms', { min: 1_000 }), {
    default: 86_400_000,
    help: 'milliseconds between two [publications of reserves](../verify/proof-of-reserves.md), at multiples of it: a day is at 00:00 UTC; 1000 at least',
  }),
  formerBridges: setting(list(ADDRESS), {
    default: [],
    help: 'bridges that this one follows: what they pay over to it [when the venue moves](bridge-runbook.md#move-to-a-new-bridge) is no deposit',
  }),
  settlementRpcUrl: setting(text({ placeholder: HTTP_URL.placeholder }), {
    unset: "the local chain's own",
    help: 'an endpoint for wallets, shown in `settings`',
  }),
  relayerKey: setting(text({ placeholder: SECRET_PLACE.placeholder }), {
    unset: 'none; of the local chain its own',
    help: 'where the key is that sends permits and payouts: a file, or `env:NAME`; on a mainnet never in the data folder, and only its owner may read the file',
  }),
  validators: setting(list(HTTP_URL), {
    default: [],
    help: 'URLs of [processes that sign payouts](bridge-setup.md#validators); with them the venue needs no key of a validator',
  }),
  validatorKeys: setting(list(SECRET_PLACE), {
    default: [],
    unset: 'none; of the local chain its own',
    help: 'keys that sign payouts inside of this process: files, or `env:NAME`, under the same rules',
  }),
  payoutPatienceMs: setting(whole('ms'), {
    default: 600_000,
    help: 'milliseconds for which the token may refuse a destination until the payout is [cancelled and returned](../trade/withdrawals.md#delays)',
  }),
};
