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
      unset: '`local` if the venue has a faucet, otherwise `none`',
      help:
        '[Settlement chain](../trade/deposits.md): `local`, `none`, or URLs of JSON-RPC ' +
        'endpoints, comma-separated. With several, at least two must agree; use three',
      isEveryday: true,
    },
  ),
  chainKeys: setting(FOLDER, {
    unset: 'none',
    help:
      'Folder with the keys of a local chain that [runs as its own ' +
      'process](cluster-deploy.md#local-chain-for-test-funds); set `chain` to the URL of ' +
      'its port for replicas',
  }),
  relay: setting(SWITCH, {
    unset: 'on if the chain is local',
    help:
      'Start a [relay](relay.md) on `port` + 1, with a second chain on `port` + 4; if ' +
      '`port` is 0, both use free ports',
  }),
  relayAddress: setting(ADDRESS, {
    unset: 'none',
    help:
      'Address of an external relay that may register relay withdrawal addresses on the ' +
      'operations port (`POST /pegs`)',
  }),
  ...CHAIN_DOOR,
  chainPort: setting(PORT, {
    unset: '`port` + 3',
    help: 'JSON-RPC port of the local chain; a free one if `port` is 0',
  }),
  chainConfirmations: setting(whole(), {
    unset: '1 for a local chain, otherwise 20',
    help: 'Confirmations required for a deposit, including the block that contains it',
  }),
  chainEveryMs: setting(whole('ms'), {
    unset: '250 for a local chain, otherwise 2000',
    help: 'Milliseconds between polls of the chain',
  }),
  chainMaxFeeGwei: setting(whole('gwei'), {
    default: 500,
    help:
      "Maximum gas price of the venue's transactions. If the gas price is higher, they wait and " +
      '`/settlement` reports the delay',
  }),
  chainMaxTipGwei: setting(whole('gwei'), {
    default: 20,
    help: "Maximum tip of the venue's transactions; raise it if blocks require more",
  }),
  chainBumpAfterMs: setting(whole('ms'), {
    default: 30_000,
    help: 'Milliseconds until a pending transaction is sent again with a higher fee',
  }),
  acceptReorganisation: setting(
    text({
      pattern: /^0x[0-9a-fA-F]{64}$/,
      expected: 'the hash of a block',
      placeholder: 'HASH',
    }),
    {
      unset: 'none',
      help:
        'Hash of the block that replaced a confirmed one; set it to [accept the chain as it ' +
        'is now](deposits-and-withdrawals.md#reorganisation)',
    },
  ),
  bridgeContract: setting(ADDRESS, {
    unset: 'none',
    help: 'Address of the bridge, if the chain is not local',
  }),
  usdcContract: setting(ADDRESS, {
    unset: 'none',
    help: 'Address of the USDC contract, if the chain is not local',
  }),
  bridgeFromBlock: setting(whole('count', { min: 0 }), {
    default: 0,
    help: 'Block in which the bridge was deployed, or an earlier one',
  }),
  reservesEveryMs: setting(whole('ms', { min: 1_000 }), {
    default: 86_400_000,
    help:
      'Milliseconds between [proof-of-reserves publications](../verify/proof-of-reserves.md), ' +
      'aligned to multiples of this interval (with one day, 00:00 UTC); at least 1000',
  }),
  formerBridges: setting(list(ADDRESS), {
    default: [],
    help:
      'Addresses of previous bridges; their payouts to this bridge [when the venue ' +
      'moves](bridge-runbook.md#move-to-a-new-bridge) do not count as deposits',
  }),
  settlementRpcUrl: setting(text({ placeholder: HTTP_URL.placeholder }), {
    unset: 'that of the local chain',
    help: 'JSON-RPC endpoint for wallets, shown in `settings`',
  }),
  relayerKey: setting(text({ placeholder: SECRET_PLACE.placeholder }), {
    unset: 'none; a local chain uses its own',
    help:
      'Key for sending permits and payouts: a file, or `env:NAME`. On a mainnet it must be ' +
      'outside the data folder and readable only by its owner',
  }),
  validators: setting(list(HTTP_URL), {
    default: [],
    help:
      'URLs of [validators that sign payouts](bridge-setup.md#validators); with them, the ' +
      'venue needs no validator key',
  }),
  validatorKeys: setting(list(SECRET_PLACE), {
    default: [],
    unset: 'none; a local chain uses its own',
    help:
      'Keys that sign payouts within this process: files, or `env:NAME`, under the same ' +
      'rules as `relayerKey`',
  }),
  payoutPatienceMs: setting(whole('ms'), {
    default: 600_000,
    help:
      'Milliseconds for which the token may reject a destination before the payout is ' +
      '[cancelled and returned](../trade/withdrawals.md#delays)',
  }),
};
