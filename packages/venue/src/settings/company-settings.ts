import { setting, SWITCH, whole } from '@oddlot/host/settings';

export const COMPANY_SETTINGS = {
  faucet: setting(SWITCH, {
    unset: 'on, on a testnet whose chain is its own',
    help: 'gives test money away at [/request-fund](../reference/info.md#request-fund), 404 without; never on a mainnet',
  }),
  faucetUsdc: setting(whole('usdc'), { default: 1_000, help: 'USDC of one grant' }),
  faucetEveryMs: setting(whole('ms'), {
    default: 3_600_000,
    help: 'milliseconds between two grants to an address or client',
  }),
  bots: setting(SWITCH, {
    unset: 'on with simulated prices',
    help: 'simulated traders, so that the books are not empty; never on a mainnet',
    isEveryday: true,
  }),
  exhibition: setting(SWITCH, {
    unset: 'on with bots',
    help: '[outcome markets](outcome-markets.md) that are listed and resolved by themselves; never on a mainnet',
  }),
  leaderboard: setting(SWITCH, {
    default: true,
    help: '[compares accounts](../reference/info-markets.md#leaderboard) by what they gained and traded, for everybody to see; refused without',
  }),
  web: setting(SWITCH, {
    default: true,
    help: 'the [trading page](../trade/trading-page.md) at `/`, built at the start when it is missing or old; 404 without',
    isEveryday: true,
  }),
};
