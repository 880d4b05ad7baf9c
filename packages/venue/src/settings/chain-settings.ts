import {
  ADDRESS,
  CHAIN_ACCESS,
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
        '[Settlement chain](../trade/deposits.md): `local`, `none`, or the URLs of JSON-RPC ' +
        'endpoints, separated by commas. If there are several, at least two must agree; ' +
        'three are recommended',
      isEveryday: true,
    },
  ),
  chainKeys: setting(FOLDER, {
    unset: 'none',
    help:
      'Folder with the keys of a local chain that [runs as a separate ' +
      'process](cluster-deploy.md#local-chain-for-test-funds); set `chain` to the URL of its ' +
      'replica port',
  }),
  relay: setting(SWITCH, {
    unset: 'on if the chain is local',
    help:
      'Start a [relay](relay.md) on `port` + 1 and a second local chain on `port` + 4; both ' +
      'use free ports if `port` is 0',
  }),
  relayAddress: setting(ADDRESS, {
    unset: 'none',
    help:
      'Address of an external relay, which may then register relay withdrawal addresses on ' +
      'the operations port (`POST /pegs`)',
  }),
  ...CHAIN_ACCESS,
  chainPort: setting(PORT, {
    unset: '`port` + 3',
    help: 'JSON-RPC port of the local chain; a free port if `port` is 0',
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
      "Maximum gas price of the venue's transactions. While the gas price is higher, " +
      'transactions wait and `/settlement` reports the delay',
  }),
  chainMaxTipGwei: setting(whole('gwei'), {
    default: 20,
    help:
      "Maximum priority fee (tip) of the venue's transactions; raise it if blocks require a " +
      'higher one',
  }),
  chainBumpAfterMs: setting(whole('ms'), {
    default: 30_000,
    help: 'Milliseconds after which a pending transaction is resent with a higher fee',
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
        'Hash of the block that replaced a confirmed block; set it to [accept the ' +
        'reorganised chain](deposits-and-withdrawals.md#reorganisation)',
    },
  ),
  bridgeContract: setting(ADDRESS, {
    unset: 'none',
    help: 'Address of the bridge contract, if the chain is not local',
  }),
  usdcContract: setting(ADDRESS, {
    unset: 'none',
    help: 'Address of the USDC contract, if the chain is not local',
  }),
  bridgeFromBlock: setting(whole('count', { min: 0 }), {
    default: 0,
    help: "First block to scan: the bridge's deployment block or an earlier one",
  }),
  reservesEveryMs: setting(whole('ms', { min: 1_000 }), {
    default: 86_400_000,
    help:
      'Milliseconds between [proof-of-reserves ' +
      'publications](../verify/proof-of-reserves.md), at least 1000. Publications are ' +
      'aligned to multiples of this interval: if it is one day, they take place at 00:00 UTC',
  }),
  formerBridges: setting(list(ADDRESS), {
    default: [],
    help:
      "Addresses of the venue's previous bridges. Payouts from them to this bridge, made " +
      '[when the venue moves](bridge-runbook.md#move-to-a-new-bridge), do not count as ' +
      'deposits',
  }),
  settlementRpcUrl: setting(text({ placeholder: HTTP_URL.placeholder }), {
    unset: 'endpoint of the local chain',
    help: 'JSON-RPC endpoint for wallets, published in `settings`',
  }),
  relayerKey: setting(text({ placeholder: SECRET_PLACE.placeholder }), {
    unset: 'none; a local chain uses its own',
    help:
      'Key that sends permits and payouts to the chain: a file, or `env:NAME`. On mainnet, ' +
      'the file must be outside the data folder and readable only by its owner',
  }),
  validators: setting(list(HTTP_URL), {
    default: [],
    help:
      'URLs of [validators that sign payouts](bridge-setup.md#validators); if set, the venue ' +
      'does not need validator keys',
  }),
  validatorKeys: setting(list(SECRET_PLACE), {
    default: [],
    unset: 'none; a local chain uses its own',
    help:
      'Keys with which this process signs payouts: files, or `env:NAME`, under the same ' +
      'rules as `relayerKey`',
  }),
  payoutPatienceMs: setting(whole('ms'), {
    default: 600_000,
    help:
      'Milliseconds for which the token must keep rejecting a destination before the payout ' +
      'is [cancelled and returned](../trade/withdrawals.md#delays)',
  }),
};
