import { setting, SWITCH, whole } from '@oddlot/host/settings';

export const COMPANY_SETTINGS = {
  faucet: setting(SWITCH, {
    unset: 'on for a testnet with its own chain',
    help:
      'Enable the faucet for test funds at ' +
      '[/request-fund](../reference/info.md#request-fund); 404 without it. Never on a ' +
      'mainnet',
  }),
  faucetUsdc: setting(whole('usdc'), { default: 1_000, help: 'USDC per grant' }),
  faucetEveryMs: setting(whole('ms'), {
    default: 3_600_000,
    help: 'Minimum milliseconds between grants to the same address or client',
  }),
  bots: setting(SWITCH, {
    unset: 'on with simulated prices',
    help: 'Run simulated traders that provide demo liquidity; never on a mainnet',
    isEveryday: true,
  }),
  exhibition: setting(SWITCH, {
    unset: 'on with bots',
    help: 'List and resolve demo [outcome markets](outcome-markets.md); never on a mainnet',
  }),
  leaderboard: setting(SWITCH, {
    default: true,
    help:
      'Serve the public [leaderboard](../reference/info-markets.md#leaderboard) of accounts by ' +
      'profit and volume; otherwise the query is rejected',
  }),
  web: setting(SWITCH, {
    default: true,
    help:
      'Serve the [trading page](../trade/trading-page.md) at `/`; it is built at startup ' +
      'if it is missing or outdated. 404 without it',
    isEveryday: true,
  }),
};
